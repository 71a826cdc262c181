/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "simai-program.h"

#include "ns3/hierarchical-collective.h"

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

namespace
{

using Part = Operation::Dependency::Part;

/// What a collective is over.
struct Target
{
    GroupSlot slot;
    Parallelism parallelism;
    uint32_t ranks;
};

/// Where the collectives of a group belong.
struct GroupRule
{
    SimaiGroup group;
    std::optional<Target> ofActivations; ///< none: refused
    std::optional<Target> ofWeights;     ///< none: refused
};

class SimaiProgram
{
  public:
    SimaiProgram(const SimaiWorkload& workload, const ParallelPlan& plan)
        : m_workload(workload),
          m_plan(plan),
          m_rules(MakeRules(workload, plan.GetDegrees()))
    {
    }

    std::vector<Operation> Write()
    {
        for (const SimaiLayer& layer : m_workload.layers)
        {
            Write(layer, layer.forward, "forward", false);
        }
        for (auto layer = m_workload.layers.rbegin(); layer != m_workload.layers.rend(); ++layer)
        {
            Write(*layer, layer->inputGradient, "input gradient", false);
            Write(*layer, layer->weightGradient, "weight gradient", true);
        }
        for (auto& [collective, update] : m_updates)
        {
            Compute(update.first, update.second, collective);
        }
        return std::move(m_operations);
    }

  private:
    static std::vector<GroupRule> MakeRules(const SimaiWorkload& workload,
                                            const ParallelPlan::Degrees& degrees)
    {
        const auto target = [&degrees](GroupSlot slot) {
            return Target{slot, GetParallelism(slot), degrees.GetGroupSize(slot)};
        };
        if (degrees.fsdp > 1 && degrees.dp > 1)
        {
            throw std::invalid_argument(
                workload.name +
                ": there is one data parallel group, found --fsdp=" + std::to_string(degrees.fsdp) +
                " and --dp=" + std::to_string(degrees.dp) + ", expected one of them to be 1");
        }
        const bool sharded = degrees.fsdp > 1;
        const auto weights = target(sharded ? GroupSlot::FSDP : GroupSlot::DP);
        const auto ofExperts = target(sharded ? GroupSlot::EXPERT_FSDP : GroupSlot::EXPERT_DP);
        return {{SimaiGroup::PLAIN, target(GroupSlot::TP), weights},
                {SimaiGroup::EXPERT, target(GroupSlot::EP), std::nullopt},
                {SimaiGroup::EXPERT_DATA, std::nullopt, degrees.ep > 1 ? ofExperts : weights}};
    }

    Target FindTarget(const SimaiLayer& layer, const SimaiPass& pass, bool ofWeights) const
    {
        for (const GroupRule& rule : m_rules)
        {
            const auto& target = ofWeights ? rule.ofWeights : rule.ofActivations;
            if (rule.group == pass.group && target)
            {
                return *target;
            }
        }
        throw std::invalid_argument(layer.place + ": found " + pass.type + " of " +
                                    (ofWeights
                                         ? "gradients of weights, expected that of activations"
                                         : "activations, expected that of gradients of "
                                           "weights"));
    }

    uint32_t Compute(const std::string& label, Time duration, std::optional<uint32_t> after)
    {
        Operation o;
        o.duration = duration;
        o.label = label;
        if (after)
        {
            o.after.push_back({*after, Part::WHOLE});
        }
        m_operations.push_back(std::move(o));
        return m_operations.size() - 1;
    }

    /// A collective, level by level if its group spans rails. @return index of the last operation
    uint32_t Collect(const Target& target,
                     CollectiveKind kind,
                     uint64_t bytes,
                     const std::string& label,
                     uint32_t after)
    {
        const uint32_t local = target.slot == GroupSlot::TP ? 1 : m_plan.GetLocalSize(target.slot);
        std::vector<CollectiveLevel> levels{{false, kind, bytes}};
        if (local > 1)
        {
            levels = MakeHierarchical(kind, bytes, local);
        }
        for (const auto& level : levels)
        {
            Operation o;
            o.slot = level.local ? GetLocalSlot(target.slot) : target.slot;
            o.parallelism = target.parallelism;
            o.kind = level.kind;
            o.bytes = level.bytes;
            o.counter = m_counters[o.slot]++;
            o.label = std::string(ToString(o.kind)) + " " + label;
            o.after.push_back({after, Part::WHOLE});
            after = m_operations.size();
            m_operations.push_back(std::move(o));
        }
        return after;
    }

    /// @param ofWeights the collective goes on beside what follows
    void Write(const SimaiLayer& layer,
               const SimaiPass& pass,
               const std::string& name,
               bool ofWeights)
    {
        const std::string label = name + " " + layer.name;
        const uint32_t computed = Compute(label, pass.compute, std::nullopt);
        if (!pass.kind)
        {
            return;
        }
        const Target target = FindTarget(layer, pass, ofWeights);
        if (target.ranks == 1)
        {
            return;
        }
        const uint32_t collective = Collect(target, *pass.kind, pass.bytes, label, computed);
        if (ofWeights)
        {
            m_updates.push_back({collective, {"update " + layer.name, layer.update}});
        }
        else
        {
            // The next computation follows it, and so waits for the collective.
            Compute("update " + label, layer.update, collective);
        }
    }

    const SimaiWorkload& m_workload;
    const ParallelPlan& m_plan;
    std::vector<GroupRule> m_rules;
    std::vector<Operation> m_operations;
    std::map<GroupSlot, uint32_t> m_counters;
    /// Of weights: collective, label and duration of what follows it.
    std::vector<std::pair<uint32_t, std::pair<std::string, Time>>> m_updates;
};

} // namespace

Ptr<const StepProgram>
BuildSimaiProgram(const SimaiWorkload& workload, const ParallelPlan::Degrees& degrees)
{
    const auto expect = [&workload](const std::string& key,
                                    uint32_t found,
                                    const std::string& option,
                                    uint32_t expected) {
        if (found != expected)
        {
            throw std::invalid_argument(workload.name + ":1: key '" + key + "': found " +
                                        std::to_string(found) + ", expected " +
                                        std::to_string(expected) + ", as " + option);
        }
    };
    const ParallelPlan plan(degrees);
    const uint32_t ranks = plan.GetRanks();
    expect("pp", workload.pipelineParallel, "rows are those of one stage", 1);
    if (degrees.pp != 1)
    {
        throw std::invalid_argument(workload.name + ": rows are those of one stage, found --pp=" +
                                    std::to_string(degrees.pp) + ", expected 1");
    }
    expect("model_parallel_NPU_group",
           workload.tensorParallel,
           "--tp=" + std::to_string(degrees.tp),
           degrees.tp);
    expect("ep", workload.expertParallel, "--ep=" + std::to_string(degrees.ep), degrees.ep);
    if (workload.gpus > 0)
    {
        expect("all_gpus", workload.gpus, "the degrees come to " + std::to_string(ranks), ranks);
    }
    return Create<const StepProgram>(SimaiProgram(workload, plan).Write());
}

} // namespace photonic
} // namespace ns3

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
// Which options have an effect on a run: its configuration, and notes on those that have none.
#include "options-table.h"

#include <map>
#include <set>

namespace ns3
{
namespace photonic
{

namespace
{

/// @return the degree that makes an option idle; empty if there is none
std::string
WhyUnusedByDegrees(const ParallelPlan::Degrees& degrees, Use use)
{
    const bool sharded = degrees.fsdp > 1;
    switch (use)
    {
    case Use::CONTEXT:
        return degrees.cp > 1 ? "" : "--cp=1";
    case Use::EXPERTS:
        return degrees.ep > 1 ? "" : "--ep=1";
    case Use::SHARDED:
        return sharded ? "" : "--fsdp=1";
    case Use::REPLICAS: // also those of which each has its part of a sequence, or of the experts
        return sharded ? "--fsdp=" + std::to_string(degrees.fsdp)
               : degrees.dp > 1 || degrees.cp > 1 || degrees.ep > 1 ? ""
                                                                    : "--dp=1";
    default:
        return "";
    }
}

/// @return the choice of steps that makes an option idle; empty if there is none
std::string
WhyUnusedBySteps(const Options& o, Use use)
{
    if (use == Use::REPLAY)
    {
        return o.IsReplay() ? "" : "no --replay";
    }
    if (use == Use::OPERATORS)
    {
        return o.IsGraph() ? "" : "no --operators";
    }
    if (use == Use::IMPORT)
    {
        return o.IsImport() ? "" : "no --import";
    }
    if (use == Use::SHARDED || use == Use::REPLICAS)
    {
        const auto steps = WhyUnusedBySteps(o, Use::GENERATED);
        return steps.empty() ? WhyUnusedByDegrees(o.plan.degrees, use) : steps;
    }
    if (o.IsImport())
    {
        const bool idle = use == Use::GENERATED || use == Use::COMPUTED || use == Use::VOLUMES ||
                          use == Use::SAMPLES || use == Use::TOKENS;
        return idle ? "--import=" + o.imported : "";
    }
    use = use == Use::SCALE_UP ? Use::GENERATED : use;
    if (use == Use::CONTEXT || use == Use::EXPERTS)
    {
        const auto degree = WhyUnusedByDegrees(o.plan.degrees, use);
        return degree.empty() ? WhyUnusedBySteps(o, Use::GENERATED) : degree;
    }
    if (o.IsGraph())
    {
        const bool idle = use == Use::GENERATED || use == Use::VOLUMES ||
                          (use == Use::TOKENS && o.plan.sequenceLength == 0);
        return idle ? "--operators=" + o.operators : "";
    }
    if (o.IsReplay())
    {
        const bool sizes = use == Use::VOLUMES || use == Use::SAMPLES || use == Use::TOKENS;
        const bool idle = use == Use::GENERATED || use == Use::COMPUTED;
        return idle || (sizes && o.trace->hasBytes) ? "--replay=" + o.replay : "";
    }
    return "";
}

/// @return the choice that makes an option idle; empty if it has an effect
std::string
WhyUnused(const Options& o, Use use)
{
    static const std::set<Use> onEveryFabric = {Use::ALWAYS,
                                                Use::REPORT,
                                                Use::COMPUTED,
                                                Use::GENERATED,
                                                Use::SCALE_UP,
                                                Use::CONTEXT,
                                                Use::EXPERTS,
                                                Use::SHARDED,
                                                Use::REPLICAS,
                                                Use::VOLUMES,
                                                Use::SAMPLES,
                                                Use::TOKENS,
                                                Use::OPERATORS,
                                                Use::REPLAY,
                                                Use::IMPORT,
                                                Use::FAULTS};
    if (onEveryFabric.count(use))
    {
        return WhyUnusedBySteps(o, use);
    }
    static const std::map<Use, std::set<std::string>> fabrics = {
        {Use::IDEAL, {"electrical-ideal"}},
        {Use::SIP, {"sip-ocs", "sip-ring"}},
        {Use::PARALLEL, {"sip-ocs"}},
        {Use::RING, {"sip-ring"}},
        {Use::SWITCHES, {"electrical-rail", "rail-only", "fat-tree"}},
        {Use::TIERS, {"electrical-rail", "fat-tree"}},
        {Use::ORDER, {"fat-tree", "sip-ring"}},
    };
    if (use == Use::EPOCHS || (use == Use::DELAY && o.IsSip()))
    {
        return o.HasEpochs() ? "" : "--fabric=" + o.fabric + (o.IsSip() ? " without --epoch" : "");
    }
    if (use == Use::DELAY)
    {
        use = Use::CHANGES;
    }
    const auto entry = fabrics.find(use);
    if (entry == fabrics.end() ? o.fabric != "photonic" : entry->second.count(o.fabric) == 0)
    {
        return "--fabric=" + o.fabric;
    }
    if (entry != fabrics.end())
    {
        return "";
    }
    const bool changes = o.control != "one-shot";
    const bool wanted = use == Use::CIRCUITS || (use == Use::STATIC ? !changes : changes);
    if (!wanted || (use == Use::PROFILING && o.control != "provisioned"))
    {
        return "--control=" + o.control;
    }
    if (use == Use::MESSAGES && o.controlPath == "instant")
    {
        return "--controlPath=" + o.controlPath;
    }
    return "";
}

} // namespace

std::vector<std::pair<std::string, std::string>>
GetConfiguration(const Options& options)
{
    std::vector<std::pair<std::string, std::string>> configuration;
    for (const auto& option : GetOptionTable())
    {
        const bool used = options.compare ? GetComparedOptions().count(option.name) == 0 &&
                                                WhyUnusedBySteps(options, option.use).empty()
                                          : WhyUnused(options, option.use).empty();
        if (option.use != Use::REPORT && used)
        {
            const auto value = option.form.write(options);
            if (value.empty() && (options.compare || option.use == Use::FAULTS))
            {
                continue; // each fabric has its own, or nothing breaks
            }
            configuration.emplace_back(option.name, value.empty() ? option.standard : value);
        }
    }
    return configuration;
}

const std::set<std::string>&
GetComparedOptions()
{
    static const std::set<std::string> options = {"fabric", "control", "profile"};
    return options;
}

std::vector<std::string>
GetUnusedOptionNotes(const Options& options)
{
    std::map<std::string, std::string> unused; // reason -> names
    for (const auto& option : GetOptionTable())
    {
        const auto why = WhyUnused(options, option.use);
        if (!why.empty() && options.given.count(option.name))
        {
            auto& names = unused[why];
            names += (names.empty() ? "--" : ", --") + option.name;
        }
    }
    std::vector<std::string> lines;
    for (const auto& [why, names] : unused)
    {
        lines.push_back("note: " + why + " has no use for " + names);
    }
    return lines;
}

} // namespace photonic
} // namespace ns3

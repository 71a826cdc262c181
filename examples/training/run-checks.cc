/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run-checks.h"

#include "options-parallel.h"

#include "ns3/group-circuits.h"
#include "ns3/memory-estimate.h"
#include "ns3/training-job-helper.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

namespace ns3
{
namespace photonic
{

RunChecks::RunChecks(const Options& options, const ParallelPlan& plan)
    : m_options(options),
      m_plan(plan)
{
}

void
RunChecks::RefuseSharedLinks() const
{
    const bool isStatic = m_options.fabric == "photonic" && m_options.control == "one-shot";
    if (m_options.fidelity == "packet" || (m_options.fabric == "photonic" && !isStatic))
    {
        return; // circuits that change are for one group at a time
    }
    if (m_options.IsSip())
    {
        RefuseSharedWays();
        return;
    }
    if (m_options.HasBuffers())
    {
        throw std::invalid_argument("--fidelity=" + m_options.fidelity +
                                    " cannot represent the queues of --fabric=" + m_options.fabric +
                                    ": expected --fidelity=packet");
    }
    if (m_options.dedicatedLinks)
    {
        return;
    }
    std::string sharing;
    for (uint32_t rank = 0; rank < m_plan.GetRanks() && sharing.empty(); rank++)
    {
        // Over the pipeline as a whole there are only collectives after all sends.
        std::string slots;
        uint32_t groups = 0;
        for (const auto& group : TrainingJobHelper::GetScaleOutGroups(m_plan, rank))
        {
            if (group.slot != GroupSlot::PP && !(isStatic && IsPipeline(group.slot)))
            {
                groups++;
                slots += std::string(slots.empty() ? "" : " and ") + ToString(group.slot);
            }
        }
        sharing = groups > 1 ? slots : "";
    }
    if (!sharing.empty())
    {
        throw std::invalid_argument(
            "--fidelity=" + m_options.fidelity + " cannot represent that " + sharing +
            " share the ports of --fabric=" + m_options.fabric +
            (isStatic ? ": expected --fidelity=packet" : ": it needs --dedicatedLinks"));
    }
}

/// Where ports are for peers, groups that lead to the same peer share its port.
void
RunChecks::RefuseSharedWays() const
{
    for (uint32_t rank = 0; rank < m_plan.GetRanks(); rank++)
    {
        std::map<uint32_t, GroupSlot> ways; // by peer
        for (const auto& group : TrainingJobHelper::GetScaleOutGroups(m_plan, rank))
        {
            if (group.slot == GroupSlot::PP || group.slot == GroupSlot::MP)
            {
                continue; // they have collectives after all sends, or no other group beside them
            }
            const auto& ranks = group.ranks;
            const std::size_t n = ranks.size();
            const std::size_t at = std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
            for (std::size_t i = 0; i < n; i++)
            {
                const bool next = i == (at + 1) % n || at == (i + 1) % n;
                if (i == at || (group.slot != GroupSlot::EP && !next))
                {
                    continue;
                }
                const auto [way, isNew] = ways.emplace(ranks[i], group.slot);
                if (!isNew)
                {
                    throw std::invalid_argument(
                        "--fidelity=" + m_options.fidelity + " cannot represent that " +
                        ToString(way->second) + " and " + ToString(group.slot) +
                        " share the way from rank " + std::to_string(rank) + " to rank " +
                        std::to_string(ranks[i]) + " on --fabric=" + m_options.fabric +
                        ": expected --fidelity=packet");
                }
            }
        }
    }
}

void
RunChecks::RefuseSharedNodes() const
{
    if (m_options.fidelity != "collective" ||
        m_options.plan.communicationStreams == CommunicationStreams::ONE)
    {
        return;
    }
    for (uint32_t rank = 0; rank < m_plan.GetRanks(); rank++)
    {
        std::string slots;
        uint32_t groups = 0;
        for (GroupSlot slot : TRAFFIC_SLOTS)
        {
            if (slot != GroupSlot::PP && m_plan.HasGroup(rank, slot) &&
                m_plan.IsScaleUp(m_plan.GetGroup(rank, slot)))
            {
                groups++;
                slots += std::string(slots.empty() ? "" : " and ") + ToString(slot);
            }
        }
        if (groups > 1)
        {
            throw std::invalid_argument(
                "--fidelity=collective cannot represent that " + slots +
                " share the links of a node: expected --fidelity=packet or message, or fewer than "
                "--gpusPerNode=" +
                std::to_string(m_plan.GetDegrees().gpusPerNode));
        }
    }
}

std::vector<std::string>
RunChecks::GetMemoryWarnings() const
{
    std::vector<std::string> warnings;
    if (m_options.IsReplay() || m_options.IsGraph() || m_options.IsImport())
    {
        return warnings; // they do not tell
    }
    const double memory = m_options.plan.gpu.memoryBytes;
    for (uint32_t stage = 0; stage < m_plan.GetDegrees().pp; stage++)
    {
        const double needed = EstimateMemory(m_options.plan, stage).GetTotal();
        if (needed > memory)
        {
            char line[160];
            std::snprintf(
                line,
                sizeof(line),
                memory < 1e9
                    ? "a rank of stage %u needs about %.3g GB of memory, the GPU has %.3g GB"
                    : "a rank of stage %u needs about %.1f GB of memory, the GPU has %.1f GB",
                stage,
                needed / 1e9,
                memory / 1e9);
            warnings.push_back(line);
        }
    }
    return warnings;
}

void
RunChecks::RefuseWhatDoesNotFit() const
{
    const auto warnings = m_options.strictMemory ? GetMemoryWarnings() : std::vector<std::string>();
    if (!warnings.empty())
    {
        throw std::invalid_argument("--strictMemory: " + warnings.front());
    }
}

std::vector<std::string>
RunChecks::GetFabricWarnings(const FabricInventory& built) const
{
    std::vector<std::string> warnings;
    const double asked = m_options.switchTiers.oversubscription;
    if (built.tiers > 1 && built.oversubscription != asked)
    {
        char line[160];
        std::snprintf(line,
                      sizeof(line),
                      "--oversubscription=%g: switches of so many ports come to %.4g",
                      asked,
                      built.oversubscription);
        warnings.push_back(line);
    }
    if (built.tiers > 1 || !m_options.HasTiers())
    {
        return warnings;
    }
    std::vector<std::string> idle = {"oversubscription", "loadBalancing"};
    if (m_options.fabric == "fat-tree")
    {
        idle.push_back("placement");
    }
    for (const auto& option : idle)
    {
        if (m_options.given.count(option))
        {
            warnings.push_back(
                "--" + option + " has no effect: one switch is enough for --fabric=" +
                m_options.fabric + (m_options.fabric == "electrical-rail" ? ", per rail" : ""));
        }
    }
    return warnings;
}

void
RunChecks::RefuseTransfersOnRails() const
{
    if (m_options.IsGraph() && m_options.fabric == "photonic")
    {
        throw std::invalid_argument("--operators=" + m_options.operators +
                                    ": expected another one than --fabric=photonic, whose "
                                    "circuits follow phases, such as --fabric=sip-ocs or "
                                    "electrical-ideal");
    }
}

void
RunChecks::RefuseOnePort() const
{
    if (m_options.fabric == "photonic" && m_options.nicPorts != 2)
    {
        throw std::invalid_argument("--nicPorts=" + std::to_string(m_options.nicPorts) +
                                    ": expected 2 with --fabric=photonic");
    }
}

void
RunChecks::RefuseTwoRings() const
{
    if (m_options.fabric != "photonic" || m_options.control != "one-shot")
    {
        return;
    }
    std::string slots;
    std::set<std::vector<uint32_t>> rings; // groups of the same ranks share theirs
    for (const auto& group : TrainingJobHelper::GetScaleOutGroups(m_plan, 0))
    {
        if (!IsPipeline(group.slot))
        {
            slots += (slots.empty() ? "" : " and ") + std::string(ToString(group.slot));
            rings.emplace(group.ranks.begin(), group.ranks.end());
        }
    }
    if (rings.size() > 1)
    {
        throw std::invalid_argument("--control=one-shot: expected one group that leaves the node "
                                    "beside those of the pipeline, as a GPU has lanes for one "
                                    "ring, found " +
                                    slots);
    }
}

void
RunChecks::RefuseAlgorithms(const std::vector<Ptr<const StepProgram>>& programs) const
{
    const auto scaleOut = MakeAlgorithmTable(m_options, true);
    const auto scaleUp = MakeAlgorithmTable(m_options, false);
    std::set<std::tuple<GroupSlot, CollectiveKind, uint64_t>> seen;
    for (std::size_t i = 0; i < programs.size(); i++)
    {
        for (const auto& o : programs[i]->GetOperations())
        {
            if (o.IsCompute() || o.kind >= CollectiveKind::SEND ||
                !seen.emplace(o.slot, o.kind, o.bytes).second || !m_plan.HasGroup(0, o.slot))
            {
                continue;
            }
            const auto group = m_plan.GetGroup(0, o.slot);
            const bool inside = m_plan.IsScaleUp(group);
            const bool inRounds =
                !inside && m_plan.GetRounds() > 0 && GetWholeSlot(o.slot) == GroupSlot::EP;
            const uint32_t n = group.ranks.size();
            const auto& given = inside ? scaleUp : scaleOut;
            const auto& algorithm = (given ? *given : AlgorithmTable()).Find(o.kind, n, o.bytes);
            if (algorithm.UsesRingLanes(o.kind))
            {
                continue;
            }
            const std::string what = "algorithm '" + algorithm.GetName() + "' of '" +
                                     ToString(o.kind) + "' in the " + ToString(o.slot) +
                                     " group of " + std::to_string(n) + " ranks";
            if (m_options.fidelity == "collective")
            {
                throw std::invalid_argument("--fidelity=collective cannot solve " +
                                            (inRounds ? std::string("uneven exchanges") : what) +
                                            ": expected --fidelity=packet or message");
            }
            if (inside || inRounds || m_options.fabric != "photonic")
            {
                continue;
            }
            std::set<uint32_t> others;
            const auto plan = algorithm.Plan({o.kind, o.bytes, n, o.shares}, 0);
            for (const auto& queue : plan.queues)
            {
                for (const auto& send : queue)
                {
                    if (send.peer != 1 && send.peer + 1 != n)
                    {
                        others.insert(send.peer);
                    }
                }
            }
            if (!others.empty())
            {
                throw std::invalid_argument(
                    what + " sends to " + std::to_string(others.size()) +
                    " ranks that are not neighbours in its ring, and on --fabric=photonic a GPU's "
                    "two ports lead to neighbours: expected " +
                    (o.kind == CollectiveKind::ALL_TO_ALL
                         ? "--allToAll=matchings or ring, or another fabric"
                         : "the algorithm ring, or another fabric"));
            }
        }
    }
}

void
RunChecks::RefuseWhatCannotBeDivided(uint32_t processes) const
{
    if (processes == 1)
    {
        return;
    }
    const auto expect = [](const std::string& name, const std::string& is, const char* expected) {
        if (is != expected)
        {
            throw std::invalid_argument("--" + name + "=" + is + ": expected " + expected +
                                        " in several processes");
        }
    };
    const bool photonic = m_options.fabric == "photonic";
    if (m_options.HasBuffers() || m_options.IsSip())
    {
        expect("fabric", m_options.fabric, "photonic or electrical-ideal");
    }
    expect("fidelity", m_options.fidelity, "packet");
    expect("retransmission", m_options.retransmission, "none");
    expect("congestionControl", m_options.congestionControl, "none");
    if (!photonic && !m_options.acknowledgements)
    {
        throw std::invalid_argument(
            "--acknowledgements=off: expected on with --fabric=" + m_options.fabric +
            " in several processes: a sender learns of the delivery in another one from "
            "acknowledgements only");
    }
    if (photonic && m_options.control != "one-shot")
    {
        expect("controlPath", m_options.controlPath, "packets");
    }
    const auto& degrees = m_plan.GetDegrees();
    const bool stages = m_options.cut == "stage";
    const uint32_t parts = stages ? degrees.pp : degrees.fsdp * degrees.dp;
    if (processes > parts)
    {
        throw std::invalid_argument(std::to_string(processes) + " processes: expected at most " +
                                    std::to_string(parts) + " with --cut=" + m_options.cut +
                                    (stages ? " and --pp=" : " and --fsdp x --dp = ") +
                                    std::to_string(parts));
    }
}

double
RunChecks::GetLongestStep(const std::vector<Ptr<const StepProgram>>& programs) const
{
    // Everything that all stages do, one after another, with a change of circuits for each.
    const double portRate = m_options.GetSlowestRate();
    double change = (m_options.ocs.reconfigurationDelay + m_options.controlDelay * 8 +
                     m_options.controlServiceTime * int64_t(4 * m_plan.GetRanks()))
                        .GetSeconds();
    if (m_options.drainAll)
    {
        // Those of other replicas stop the switch too.
        const auto& degrees = m_plan.GetDegrees();
        change *= double(m_plan.GetRanks()) / degrees.tp / degrees.pp;
    }
    // In the end an epoch has a packet at least.
    const double epochs = m_options.HasEpochs()
                              ? 1 + m_options.ocs.reconfigurationDelay.GetSeconds() /
                                        std::max(m_options.epoch.GetSeconds(), 1e-6)
                              : 1;
    double seconds = 0;
    for (const auto& program : programs)
    {
        for (const auto& operation : program->GetOperations())
        {
            if (operation.IsCompute())
            {
                seconds += operation.duration.GetSeconds();
                continue;
            }
            // Of an all-to-all shares are passed on, or all go to one rank.
            const double times =
                operation.kind == CollectiveKind::ALL_TO_ALL ? 3.0 * m_plan.GetDegrees().ep : 3;
            const double bytes = double(operation.bytes) + operation.receiveBytes;
            seconds += times * 8 * bytes / portRate * epochs + change;
        }
    }
    return seconds;
}

void
RunChecks::RefuseWhatOutrunsTheClock(double longestStep) const
{
    const double most = Time::Max().GetSeconds();
    const double needed = longestStep * (m_options.steps + 3.0);
    if (needed > most)
    {
        char line[160];
        std::snprintf(line,
                      sizeof(line),
                      "the job may take up to %.3g days of simulated time: the clock, in "
                      "picoseconds, holds %.3g",
                      needed / 86400,
                      most / 86400);
        throw std::invalid_argument(line);
    }
}

void
RunChecks::CheckProfile(const PhaseProfile& profile) const
{
    for (uint32_t rank = 0; rank < m_plan.GetRanks(); rank++)
    {
        for (const auto& entry : profile.GetSequence(rank))
        {
            if (!m_plan.HasGroup(rank, entry.slot) ||
                m_plan.IsScaleUp(m_plan.GetGroup(rank, entry.slot)))
            {
                throw std::invalid_argument(m_options.profile + ": rank " + std::to_string(rank) +
                                            " has operations of a " + ToString(entry.slot) +
                                            " group, which it does not have on its rail in this "
                                            "job");
            }
        }
    }
}

void
RunChecks::CheckProfileDirectory() const
{
    const auto& file = m_options.profile;
    const auto directory = std::filesystem::absolute(file).parent_path();
    if (!std::filesystem::is_directory(directory))
    {
        throw std::invalid_argument("--profile=" + file + ": there is no directory " +
                                    directory.string());
    }
}

} // namespace photonic
} // namespace ns3

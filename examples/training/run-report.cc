/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run-report.h"

#include "text.h"

#include <cstdio>
#include <sstream>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

std::vector<std::string>
AllInSeconds(const std::vector<Time>& times)
{
    std::vector<std::string> texts;
    for (Time time : times)
    {
        texts.push_back(InSeconds(time));
    }
    return texts;
}

/// @return whether no such switch is on sale
bool
IsHypothetical(const Options& options)
{
    return options.fabric == "photonic" &&
           options.ocs.radix > OcsTechnology::Get(options.ocs.name).radix;
}

double
Fraction(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : double(part) / whole;
}

} // namespace

std::string
Describe(const TransformerShape& shape)
{
    std::ostringstream text;
    text << "layers=" << shape.layers << " hidden=" << shape.hidden
         << " intermediate=" << shape.intermediate << " heads=" << shape.heads
         << " kvHeads=" << shape.kvHeads << " headDim=" << shape.headDim
         << " vocabulary=" << shape.vocabulary << (shape.tiedEmbeddings ? " tied embeddings" : "");
    if (shape.latent)
    {
        const LatentAttentionShape& latent = *shape.latent;
        text << " queryRank=" << latent.queryRank << " keyValueRank=" << latent.keyValueRank
             << " nopeDim=" << latent.nopeDim << " ropeDim=" << latent.ropeDim
             << " valueDim=" << latent.valueDim;
    }
    if (shape.experts)
    {
        const ExpertShape& experts = *shape.experts;
        text << " experts=" << experts.routed << " activated=" << experts.activated
             << " shared=" << experts.shared << " expertIntermediate=" << experts.intermediate
             << " denseLayers=" << experts.denseLayers.size();
    }
    const std::pair<bool, const char*> flags[]{{shape.queryKeyNorm, "query-key norm"},
                                               {shape.queryKeyValueBias, "query-key-value bias"},
                                               {shape.outputBias, "output bias"},
                                               {!shape.gatedMlp, "plain MLP"},
                                               {shape.mlpBias, "MLP bias"},
                                               {shape.normBias, "norm bias"}};
    for (const auto& [is, what] : flags)
    {
        text << (is ? std::string(" ") + what : "");
    }
    if (shape.positions > 0)
    {
        text << " positions=" << shape.positions;
    }
    return text.str();
}

void
WriteSummary(std::ostream& os, const Options& options, const RunResult& result)
{
    const std::size_t steps = result.stepTimes.size();
    const auto mean = [&](Time total) { return Number(result.Mean(total)); };
    JsonWriter json(os);
    json.BeginObject();
    json.Member("schema_version", uint64_t(1));
    json.BeginObject("configuration");
    for (const auto& [name, value] : GetConfiguration(options))
    {
        json.Text(name, value);
    }
    if (!options.IsGraph() && !options.IsImport() &&
        (!options.IsReplay() || !options.trace->hasBytes))
    {
        json.Text("modelShape", Describe(options.plan.model.GetShape()));
    }
    if (IsHypothetical(options))
    {
        json.Text("hypothetical", "an optical switch of that technology with so many ports");
    }
    json.EndObject();
    json.Member("step_time_s", mean(result.TotalTime()));
    json.Array("step_times_s", AllInSeconds(result.stepTimes));
    json.Array("profiling_step_times_s", AllInSeconds(result.profilingStepTimes));
    json.Member("compute_s", mean(result.compute));
    json.Member("communication_s", mean(result.communication));
    json.Member("exposed_communication_s", mean(result.exposedCommunication));
    json.Member("stall_s", mean(result.stall));
    json.Member("serialisation_stall_s",
                Number(result.stepTimes.empty() ? 0 : result.serialisationStallSeconds / steps));
    json.Member("reconfigurations", result.reconfigurations);
    json.Member("exposed_reconfigurations", std::to_string(result.exposedReconfigurations));
    json.Member("mispredictions", result.mispredictions);
    json.Member("dark_time_s", Number(result.darkSeconds));
    json.Member("dropped_packets", result.droppedPackets);
    if (options.RecoversOrControls())
    {
        json.BeginObject("transport");
        json.Member("retransmitted_packets", result.transport.retransmitted);
        json.Member("negative_acknowledgements", result.transport.negative);
        json.Member("timeouts", result.transport.timeouts);
        json.Member("duplicate_packets", result.transport.duplicates);
        json.Member("marked_packets", result.transport.marked);
        json.Member("congestion_notifications", result.transport.notifications);
        json.EndObject();
    }
    json.BeginObject("bytes");
    for (std::size_t i = 0; i < result.bytes.size(); i++)
    {
        json.Member(ToString(static_cast<Parallelism>(i)), result.bytes[i] / steps);
    }
    json.EndObject();
    if (result.forwardedBytes > 0)
    {
        json.Member("forwarded_bytes", result.forwardedBytes);
    }
    json.Member("packets", result.packets);
    json.Member("events", result.events);
    const auto& parts = result.inventory;
    json.BeginObject("inventory");
    json.Member("gpus", uint64_t(parts.gpus));
    json.Member("nic_ports", uint64_t(parts.nicPorts));
    json.Member("packet_switches", uint64_t(parts.packetSwitches));
    json.Member("tiers", uint64_t(parts.tiers));
    json.Member("oversubscription", Number(parts.oversubscription));
    json.Member("packet_switch_ports", uint64_t(parts.packetSwitchPorts));
    json.Member("circuit_switches", uint64_t(parts.circuitSwitches));
    json.Member("circuit_switch_ports", uint64_t(parts.circuitSwitchPorts));
    json.Member("fibres", uint64_t(parts.fibres));
    json.Member("transceivers", uint64_t(parts.transceivers));
    json.EndObject();
    json.BeginObject("windows");
    json.Member("count", result.windows);
    json.Member("fraction_over_1ms", Number(Fraction(result.windowsOver1ms, result.windows)));
    json.Member("fraction_over_15ms", Number(Fraction(result.windowsOver15ms, result.windows)));
    json.EndObject();
    json.BeginObject("measurements");
    json.Member("wall_time_s", Number(result.wallSeconds));
    json.Member("events_per_second",
                Number(result.wallSeconds > 0 ? result.events / result.wallSeconds : 0));
    json.Member("peak_memory_bytes", result.peakMemoryBytes);
    json.EndObject();
    json.EndObject();
}

void
PrintConfiguration(std::ostream& os, const Options& options)
{
    os << "configuration\n";
    for (const auto& [name, value] : GetConfiguration(options))
    {
        os << "  --" << name << "=" << value << "\n";
    }
    if (IsHypothetical(options))
    {
        os << "  (hypothetical: an optical switch of that technology with so many ports)\n";
    }
    os << std::flush;
}

void
PrintResult(std::ostream& os, const Options& options, const RunResult& result)
{
    const auto row = [&](const char* name, double value, const char* unit) {
        char line[96];
        std::snprintf(line, sizeof(line), "  %-28s %14.6g %s\n", name, value, unit);
        os << line;
    };
    os << "\nper step (mean of " << result.stepTimes.size() << " measured, after "
       << result.profilingStepTimes.size() << " profiling)\n";
    row("step time", result.Mean(result.TotalTime()), "s");
    if (!options.IsReplay() && !options.IsImport())
    {
        row("model FLOPs utilisation",
            100 * options.GetModelFlopsPerStep() /
                (result.Mean(result.TotalTime()) * options.gpus * options.plan.gpu.peakFlops),
            "%");
    }
    row("compute", result.Mean(result.compute), "s");
    row("communication", result.Mean(result.communication), "s");
    row("exposed communication", result.Mean(result.exposedCommunication), "s");
    row("stall for circuits", result.Mean(result.stall), "s");
    row("stall for order", result.serialisationStallSeconds / result.stepTimes.size(), "s");
    os << "in all measured steps\n";
    row("reconfigurations", result.reconfigurations, "");
    row("  of them exposed", result.exposedReconfigurations, "");
    row("dark time of ports", result.darkSeconds, "s");
    row("packets", result.packets, "");
    if (result.forwardedBytes > 0)
    {
        row("bytes that hosts pass on, a step", double(result.forwardedBytes), "");
    }
    if (options.RecoversOrControls())
    {
        row("  sent again", result.transport.retransmitted, "");
        row("  marked", result.transport.marked, "");
    }
    row("windows", result.windows, "");
    row("  over 1 ms", 100 * Fraction(result.windowsOver1ms, result.windows), "%");
    row("  over 15 ms", 100 * Fraction(result.windowsOver15ms, result.windows), "%");
    os << "run\n";
    row("events", result.events, "");
    row("set-up", result.setUpSeconds, "s");
    row("wall time", result.wallSeconds, "s");
    row("peak memory", result.peakMemoryBytes / 1e6, "MB");
    row("  per GPU", result.peakMemoryBytes / 1e3 / options.gpus, "kB");
}

} // namespace photonic
} // namespace ns3

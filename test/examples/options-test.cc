/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "options-quantity.h"
#include "options.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

using Arguments = std::vector<std::string>;

Options
Parse(const Arguments& arguments)
{
    std::vector<const char*> argv{"program"};
    for (const auto& argument : arguments)
    {
        argv.push_back(argument.c_str());
    }
    return ParseOptions(static_cast<int>(argv.size()), argv.data());
}

/// @return why a command line is refused; empty if it is not
std::string
RefusalOf(const Arguments& arguments)
{
    try
    {
        Parse(arguments);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/// A command line that is refused, and what the refusal has to say.
struct Refused
{
    Arguments arguments;
    Arguments said;
};

void
ExpectRefused(const std::vector<Refused>& cases)
{
    for (const auto& refused : cases)
    {
        const auto refusal = RefusalOf(refused.arguments);
        for (const auto& part : refused.said)
        {
            EXPECT_NE(refusal.find(part), std::string::npos)
                << ::testing::PrintToString(refused.arguments) << "\nis answered by '" << refusal
                << "'\nwithout '" << part << "'";
        }
        EXPECT_EQ(refusal.find('\n'), std::string::npos);
        EXPECT_LT(refusal.size(), 400u);
    }
}

std::map<std::string, std::string>
ConfigurationOf(const Arguments& arguments)
{
    const auto configuration = GetConfiguration(Parse(arguments));
    return {configuration.begin(), configuration.end()};
}

} // namespace

TEST(Options, DefaultsAreThoseOfTheDocumentation)
{
    const auto o = Parse({});
    EXPECT_FALSE(o.help);
    EXPECT_EQ(o.plan.model.GetShape().name, "llama3-8b");
    EXPECT_EQ(o.gpus, 1u);
    EXPECT_EQ(o.plan.degrees.gpusPerNode, 1u);
    EXPECT_EQ(o.plan.degrees.tp, 1u);
    EXPECT_EQ(o.plan.degrees.pp, 1u);
    EXPECT_EQ(o.plan.degrees.fsdp, 1u);
    EXPECT_EQ(o.plan.microbatches, 1u);
    EXPECT_EQ(o.plan.microbatchSize, 1u);
    EXPECT_EQ(o.plan.sequenceLength, 8192u);
    EXPECT_EQ(o.plan.schedule, PipelineSchedule::ONE_F_ONE_B);
    EXPECT_TRUE(o.plan.layersPerStage.empty());
    EXPECT_EQ(o.plan.recompute, Recompute::NONE);
    EXPECT_EQ(o.plan.gradientSync, GradientSync::LAST);
    EXPECT_DOUBLE_EQ(o.plan.mfu, 0.4);
    EXPECT_EQ(o.fabric, "photonic");
    EXPECT_EQ(o.nicPorts, 2u);
    EXPECT_EQ(o.mtu, 4096u);
    EXPECT_FALSE(o.acknowledgements);
    EXPECT_EQ(o.retransmission, "none");
    EXPECT_EQ(o.congestionControl, "none");
    EXPECT_EQ(o.ocs.name, "piezo");
    EXPECT_EQ(o.ocs.radix, 576u);
    EXPECT_EQ(o.ocs.reconfigurationDelay, MilliSeconds(25));
    EXPECT_EQ(o.control, "provisioned");
    EXPECT_EQ(o.controlPath, "packets");
    EXPECT_EQ(o.steps, 1u);
    EXPECT_TRUE(o.profile.empty());
    EXPECT_TRUE(o.output.empty());
    EXPECT_FALSE(o.dumpProgram);
    EXPECT_TRUE(o.given.empty());
}

TEST(Options, EveryFieldIsRead)
{
    const auto o = Parse({"--model=llama3-70b",
                          "--gpus=16",
                          "--gpusPerNode=8",
                          "--tp=4",
                          "--pp=2",
                          "--fsdp=2",
                          "--microbatches=6",
                          "--microbatchSize=3",
                          "--sequenceLength=4096",
                          "--schedule=gpipe",
                          "--layersPerStage=41,39",
                          "--interleave=1",
                          "--recompute=full",
                          "--gradientSync=every",
                          "--gpu=h200",
                          "--peakFlops=0.5PFLOP/s",
                          "--memoryBandwidth=1.5TB/s",
                          "--memory=40GB",
                          "--scaleUpBandwidth=300GB/s",
                          "--scaleUpLatency=1.25us",
                          "--scaleOutBandwidth=400Gbps",
                          "--mfu=0.55",
                          "--fabric=photonic",
                          "--nicPorts=2",
                          "--mtu=9216",
                          "--acknowledgements=on",
                          "--retransmission=selective-repeat",
                          "--congestionControl=swift",
                          "--ocs=mems",
                          "--ocsRadix=64",
                          "--reconfigurationDelay=7.5us",
                          "--control=on-demand",
                          "--controller=ns3::photonic::FcfsCircuitScheduler",
                          "--controlPath=delay",
                          "--controlDelay=0",
                          "--controlServiceTime=2us",
                          "--steps=3",
                          "--seed=4294944442",
                          "--profile=p.txt",
                          "--output=no/such/directory",
                          "--dumpProgram"});
    EXPECT_EQ(o.plan.model.GetShape().name, "llama3-70b");
    EXPECT_EQ(o.gpus, 16u);
    EXPECT_EQ(o.plan.degrees.gpusPerNode, 8u);
    EXPECT_EQ(o.plan.degrees.tp, 4u);
    EXPECT_EQ(o.plan.degrees.pp, 2u);
    EXPECT_EQ(o.plan.degrees.fsdp, 2u);
    EXPECT_EQ(o.plan.microbatches, 6u);
    EXPECT_EQ(o.plan.microbatchSize, 3u);
    EXPECT_EQ(o.plan.sequenceLength, 4096u);
    EXPECT_EQ(o.plan.schedule, PipelineSchedule::GPIPE);
    EXPECT_EQ(o.plan.layersPerStage, (std::vector<uint32_t>{41, 39}));
    EXPECT_EQ(o.plan.recompute, Recompute::FULL);
    EXPECT_EQ(o.plan.gradientSync, GradientSync::EVERY);
    EXPECT_EQ(o.plan.gpu.name, "h200");
    EXPECT_DOUBLE_EQ(o.plan.gpu.peakFlops, 5e14);
    EXPECT_DOUBLE_EQ(o.plan.gpu.memoryBandwidth, 1.5e12);
    EXPECT_DOUBLE_EQ(o.plan.gpu.memoryBytes, 4e10);
    EXPECT_EQ(o.plan.gpu.scaleUp.GetBitRate(), 2'400'000'000'000u);
    EXPECT_EQ(o.scaleUpLatency, NanoSeconds(1250));
    EXPECT_EQ(o.plan.gpu.scaleOut.GetBitRate(), 400'000'000'000u);
    EXPECT_DOUBLE_EQ(o.plan.mfu, 0.55);
    EXPECT_EQ(o.mtu, 9216u);
    EXPECT_TRUE(o.acknowledgements);
    EXPECT_EQ(o.retransmission, "selective-repeat");
    EXPECT_EQ(o.congestionControl, "swift");
    EXPECT_EQ(o.ocs.name, "mems");
    EXPECT_EQ(o.ocs.radix, 64u);
    EXPECT_EQ(o.ocs.reconfigurationDelay, NanoSeconds(7500));
    EXPECT_EQ(o.control, "on-demand");
    EXPECT_EQ(o.controlPath, "delay");
    EXPECT_EQ(o.controlDelay, Time(0));
    EXPECT_EQ(o.controlServiceTime, MicroSeconds(2));
    EXPECT_EQ(o.steps, 3u);
    EXPECT_EQ(o.seed, 4294944442u);
    EXPECT_EQ(o.profile, "p.txt");
    EXPECT_EQ(o.output, "no/such/directory");
    EXPECT_TRUE(o.dumpProgram);
    EXPECT_EQ(o.given.size(), 41u);
}

TEST(Options, OverridesWinWhereverTheyStand)
{
    for (const Arguments& arguments :
         {Arguments{"--peakFlops=1TFLOP/s", "--gpu=h100", "--ocsRadix=8", "--ocs=rotor"},
          Arguments{"--gpu=h100", "--peakFlops=1TFLOP/s", "--ocs=rotor", "--ocsRadix=8"}})
    {
        const auto o = Parse(arguments);
        EXPECT_DOUBLE_EQ(o.plan.gpu.peakFlops, 1e12);
        EXPECT_DOUBLE_EQ(o.plan.gpu.memoryBytes, 80e9);
        EXPECT_EQ(o.ocs.radix, 8u);
        EXPECT_EQ(o.ocs.reconfigurationDelay, MicroSeconds(10));
    }
}

TEST(Options, GpusFollowFromTheDegrees)
{
    const auto o = Parse({"--tp=4", "--fsdp=2", "--pp=2"});
    EXPECT_EQ(o.gpus, 16u);
    EXPECT_EQ(o.plan.degrees.gpusPerNode, 4u);
}

TEST(Options, HelpGoesBeforeAllElse)
{
    EXPECT_TRUE(Parse({"--help"}).help);
    EXPECT_TRUE(Parse({"--tp=nonsense", "--help"}).help);
}

TEST(RefusedOptions, NamesOfFilesThatAreTooLongOrHaveSeveralLines)
{
    for (const std::string option : {"prices", "model", "import", "export", "replay", "algorithms"})
    {
        for (const auto& name : {std::string("a\nb"), std::string(300, 'x') + "/x"})
        {
            const auto refusal = RefusalOf({"--" + option + "=" + name, "--compare"});
            EXPECT_EQ(refusal.rfind("--" + option + "=" + name.substr(0, 1), 0), 0u) << refusal;
            EXPECT_EQ(refusal.find('\n'), std::string::npos) << refusal;
        }
    }
}

TEST(RefusedOptions, Names)
{
    ExpectRefused({{{"--sequencelength=5"}, {"--sequencelength", "did you mean --sequenceLength?"}},
                   {{"--dumpProgam"}, {"--dumpProgam", "did you mean --dumpProgram?"}},
                   {{"--scaleOutBandwith=1Gbps"}, {"did you mean --scaleOutBandwidth?"}},
                   {{"--quux=2"}, {"unknown option --quux", "--help"}},
                   {{"--fidelity=flow"}, {"packet", "message", "collective"}},
                   {{"--timeline=x", "--compare"}, {"--timeline=x", "expected no --compare"}},
                   {{"--timelime=x"}, {"unknown option --timelime", "--timeline"}},
                   {{"--ns3::Object::Attribute=1"}, {"unknown option --ns3::Object::Attribute"}},
                   {{"--PrintHelp"}, {"unknown option --PrintHelp"}},
                   {{"--"}, {"'--'", "expected --name=value"}},
                   {{""}, {"''", "expected --name=value"}},
                   {{"-tp=4"}, {"'-tp=4'", "expected --name=value"}},
                   {{"tp=4"}, {"'tp=4'", "expected --name=value"}},
                   {{"--=4"}, {"unknown option --"}},
                   {{"--tp", "4"}, {"--tp has no value", "--tp=1..1000000"}},
                   {{"--output"}, {"--output has no value", "--output=DIR"}},
                   {{"--dumpProgram=1"}, {"--dumpProgram takes no value", "'1'"}},
                   {{"--help=yes"}, {"--help takes no value", "'yes'"}},
                   {{"--tp=2", "--tp=2"}, {"--tp is given twice"}},
                   {{"--dumpProgram", "--dumpProgram"}, {"--dumpProgram is given twice"}},
                   {{std::string(100000, 'x')}, {"xxx...", "expected --name=value"}},
                   {{"--a\nb=1"}, {"unknown option --a?b"}}});
}

TEST(RefusedOptions, Values)
{
    ExpectRefused({{{"--tp="}, {"--tp=: expected a whole number from 1 to 1000000"}},
                   {{"--tp=0"}, {"--tp=0: expected"}},
                   {{"--tp=-1"}, {"--tp=-1: expected"}},
                   {{"--tp=2.0"}, {"--tp=2.0: expected"}},
                   {{"--tp=0x2"}, {"--tp=0x2: expected"}},
                   {{"--tp= 2"}, {"--tp= 2: expected"}},
                   {{"--tp=4294967297"}, {"--tp=4294967297: expected"}},
                   {{"--tp=99999999999999999999999"}, {"expected a whole number"}},
                   {{"--microbatches=0"}, {"--microbatches=0", "from 1"}},
                   {{"--microbatchSize=0"}, {"--microbatchSize=0", "from 1"}},
                   {{"--sequenceLength=0"}, {"--sequenceLength=0", "from 1"}},
                   {{"--steps=0"}, {"--steps=0", "from 1"}},
                   {{"--seed=0"}, {"--seed=0", "from 1 to 4294944442"}},
                   {{"--gpus=0"}, {"--gpus=0", "from 1"}},
                   {{"--mtu=1279"}, {"--mtu=1279", "from 1280 to 9216"}},
                   {{"--mtu=9217"}, {"--mtu=9217", "from 1280 to 9216"}},
                   {{"--nicPorts=3"}, {"--nicPorts=3", "from 1 to 2"}},
                   {{"--ocsRadix=1"}, {"--ocsRadix=1", "from 2"}},
                   {{"--schedule=1F1B"}, {"--schedule=1F1B", "1f1b or gpipe"}},
                   {{"--recompute=half"}, {"--recompute=half", "none or selective or full"}},
                   {{"--gradientSync=first"}, {"--gradientSync=first", "last or every"}},
                   {{"--fabric=torus"},
                    {"--fabric=torus", "photonic or sip-ocs or sip-ring or electrical-ideal"}},
                   {{"--control=always"}, {"on-demand or provisioned or one-shot"}},
                   {{"--controlPath=tcp"}, {"packets or delay or instant"}},
                   {{"--controller=ns3::Fastest"},
                    {"--controller=ns3::Fastest: ", "ns3::photonic::FcfsCircuitScheduler"}},
                   {{"--controller=ns3::photonic::OpusController"}, {"a circuit scheduler"}},
                   {{"--controller=ns3::photonic::CircuitScheduler"}, {"a circuit scheduler"}},
                   {{"--controller=ns3::photonic::FcfsCircuitScheduler[Arms=2]"},
                    {"has no attribute 'Arms', expected none"}},
                   {{"--controller=ns3::photonic::FcfsCircuitScheduler[Arms"},
                    {"expected ns3::photonic::FcfsCircuitScheduler[attribute=value|...]"}},
                   {{"--controller="}, {"--controller=: found '', expected the TypeId"}},
                   {{"--gpu=v100"}, {"--gpu=v100", "a100 or h100 or h200 or gb200"}},
                   {{"--ocs=glass"}, {"--ocs=glass", "robotic", "piezo", "plzt"}},
                   {{"--model=llama9"}, {"--model=llama9: ", "llama3-8b", "config.json"}},
                   {{"--model="}, {"--model=: "}},
                   {{"--model=/"}, {"--model=/: "}},
                   {{"--model=a\nb"}, {"--model=a?b: "}},
                   {{"--profile="}, {"--profile=: expected FILE"}},
                   {{"--output="}, {"--output=: expected DIR"}},
                   {{"--output=/dev/null"}, {"--output=/dev/null", "expected a directory"}},
                   {{"--mfu=0"}, {"--mfu=0: expected a number from 0.001 to 1"}},
                   {{"--mfu=1.01"}, {"--mfu=1.01: expected"}},
                   {{"--mfu=40%"}, {"--mfu=40%: expected"}},
                   {{"--mfu=nan"}, {"--mfu=nan: expected"}},
                   {{"--mfu=1e-1"}, {"--mfu=1e-1: expected"}},
                   {{"--mfu=0.4.5"}, {"--mfu=0.4.5: expected"}},
                   {{"--layersPerStage=16,,16", "--pp=2"}, {"--layersPerStage=16,,16: expected"}},
                   {{"--layersPerStage=32,0", "--pp=2"}, {"--layersPerStage=32,0: expected"}},
                   {{"--layersPerStage=", "--pp=2"}, {"--layersPerStage=: expected"}}});
}

TEST(RefusedOptions, Quantities)
{
    ExpectRefused({{{"--reconfigurationDelay=15"}, {"=15: no unit", "such as 15ms"}},
                   {{"--reconfigurationDelay=15m"}, {"=15m: unknown unit", "such as 15ms"}},
                   {{"--reconfigurationDelay=15 ms"}, {"=15 ms: unknown unit"}},
                   {{"--reconfigurationDelay=-1ms"}, {"=-1ms: not a number"}},
                   {{"--reconfigurationDelay=ms"}, {"=ms: not a number"}},
                   {{"--reconfigurationDelay="}, {"=: not a number"}},
                   {{"--reconfigurationDelay=.5ms"}, {"=.5ms: not a number"}},
                   {{"--reconfigurationDelay=5.ms"}, {"=5.ms: not a number"}},
                   {{"--reconfigurationDelay=1.2.3ms"}, {"=1.2.3ms: not a number"}},
                   {{"--reconfigurationDelay=1e3ms"}, {"=1e3ms: unknown unit"}},
                   {{"--reconfigurationDelay=0.5ps"}, {"=0.5ps: too many decimals"}},
                   {{"--reconfigurationDelay=25h"}, {"=25h: out of range", "86400s"}},
                   {{"--controlDelay=1000000000000000000s"}, {"too many digits"}},
                   {{"--controlDelay=999999999999999999h"}, {"out of range"}},
                   {{"--controlServiceTime=400Gbps"}, {"unknown unit"}},
                   {{"--scaleOutBandwidth=0"}, {"=0: zero", "such as 400Gbps"}},
                   {{"--scaleOutBandwidth=0Gbps"}, {"=0Gbps: zero"}},
                   {{"--scaleOutBandwidth=400"}, {"=400: no unit", "such as 400Gbps"}},
                   {{"--scaleOutBandwidth=400gbps"}, {"=400gbps: unknown unit"}},
                   {{"--scaleOutBandwidth=400G"}, {"=400G: unknown unit"}},
                   {{"--scaleOutBandwidth=1kbps"}, {"=1kbps: out of range", "1Mbps"}},
                   {{"--scaleUpBandwidth=0GB/s"}, {"=0GB/s: zero"}},
                   {{"--memoryBandwidth=0"}, {"=0: zero", "such as 1555GB/s"}},
                   {{"--memoryBandwidth=400Gbps"}, {"=400Gbps: unknown unit"}},
                   {{"--memory=40"}, {"=40: no unit", "such as 40GB"}},
                   {{"--peakFlops=312"}, {"=312: no unit", "such as 312TFLOP/s"}},
                   {{"--peakFlops=0TFLOP/s"}, {"zero"}}});
}

TEST(RefusedOptions, Together)
{
    ExpectRefused(
        {{{"--gpus=12", "--tp=4", "--fsdp=2", "--pp=2"},
          {"--gpus=12", "--tp=4 x --fsdp=2 x --pp=2 = 16"}},
         {{"--gpusPerNode=3", "--tp=4"}, {"--gpusPerNode=3", "divisor of the 4 GPUs"}},
         {{"--tp=1000000", "--fsdp=1000000", "--pp=1000000"},
          {"= 1000000000000000000 GPUs", "at most 1000000"}},
         {{"--tp=2", "--gpusPerNode=3", "--fsdp=3"}, {"rail"}},
         {{"--pp=2", "--layersPerStage=32"}, {"32", "1 shares", "2 pipeline stages"}},
         {{"--pp=4", "--interleave=2", "--microbatches=6"}, {"2 chunks", "4 pipeline", "found 6"}},
         {{"--pp=4", "--interleave=9", "--microbatches=4"}, {"32 layers", "36 pipeline stages"}},
         {{"--interleave=2"}, {"2 chunks", "at least 2 pipeline stages, found 1"}},
         {{"--pp=2", "--interleave=2", "--schedule=gpipe"}, {"2 chunks", "1f1b, found gpipe"}},
         {{"--pp=2", "--layersPerStage=16,15"}, {"16,15", "31", "32 layers"}},
         {{"--pp=33"}, {"32 layers", "33 pipeline stages"}},
         {{"--nicPorts=1"}, {"--nicPorts=1", "2 with --fabric=photonic"}},
         {{"--replayStep=1"}, {"--replayStep=1", "expected --replay=FILE"}},
         {{"--replay=/no/such/file"}, {"--replay=/no/such/file", "cannot be read"}},
         {{"--acknowledgements=on", "--fidelity=message"},
          {"--acknowledgements=on", "--fidelity=packet", "--fidelity=message"}},
         {{"--acknowledgements=on", "--fidelity=collective"},
          {"--acknowledgements=on", "--fidelity=packet", "--fidelity=collective"}},
         {{"--drainAll", "--fidelity=collective"}, {"--drainAll", "--fidelity=collective"}},
         {{"--retransmission=go-back-n"}, {"--retransmission=go-back-n", "--acknowledgements=on"}},
         {{"--congestionControl=dcqcn"}, {"--congestionControl=dcqcn", "--acknowledgements=on"}},
         {{"--congestionControl=dcqcn", "--fidelity=message"},
          {"--congestionControl=dcqcn", "--fidelity=packet", "--fidelity=message"}},
         {{"--retransmission=selective-repeat", "--acknowledgements=on", "--fidelity=collective"},
          {"--retransmission=selective-repeat", "--fidelity=packet", "--fidelity=collective"}},
         {{"--scaleOutBandwidth=1.000001Mbps"}, {"--scaleOutBandwidth=1000001bps", "2 ports"}}});
}

TEST(Options, OnePortIsEnoughForPackets)
{
    EXPECT_EQ(RefusalOf({"--fabric=electrical-ideal", "--nicPorts=1"}), "");
    EXPECT_EQ(
        RefusalOf(
            {"--fabric=electrical-ideal", "--nicPorts=1", "--scaleOutBandwidth=1.000001Mbps"}),
        "");
}

TEST(Options, ConfigurationIsEffective)
{
    auto c = ConfigurationOf({"--tp=4", "--pp=2", "--gpu=h100", "--mfu=0.333"});
    EXPECT_EQ(c["model"], "llama3-8b");
    EXPECT_EQ(c["gpus"], "8");
    EXPECT_EQ(c["gpusPerNode"], "4");
    EXPECT_EQ(c["layersPerStage"], "even");
    EXPECT_EQ(c["peakFlops"], "989TFLOP/s");
    EXPECT_EQ(c["memoryBandwidth"], "3350GB/s");
    EXPECT_EQ(c["memory"], "80GB");
    EXPECT_EQ(c["scaleUpBandwidth"], "450GB/s");
    EXPECT_EQ(c["scaleOutBandwidth"], "400Gbps");
    EXPECT_EQ(c["mfu"], "0.333");
    EXPECT_EQ(c["ocsRadix"], "576");
    EXPECT_EQ(c["reconfigurationDelay"], "25ms");
    EXPECT_EQ(c["profile"], "off");
    EXPECT_EQ(c.count("output"), 0u);
    EXPECT_EQ(c.count("dumpProgram"), 0u);
}

TEST(Options, ConfigurationReadsBack)
{
    Arguments arguments;
    const auto first = GetConfiguration(Parse({"--tp=4",
                                               "--pp=2",
                                               "--layersPerStage=15,17",
                                               "--gpu=gb200",
                                               "--scaleOutBandwidth=123.456Gbps",
                                               "--controlDelay=1.5us",
                                               "--profile=p.txt"}));
    for (const auto& [name, value] : first)
    {
        arguments.push_back("--" + name + "=" + value);
    }
    EXPECT_EQ(GetConfiguration(Parse(arguments)), first);
}

TEST(Options, ConfigurationDoesNotDependOnPlaces)
{
    const std::string file = ::testing::TempDir() + "config.json";
    std::ofstream(file) << R"({"num_hidden_layers": 2, "hidden_size": 64, "vocab_size": 100,
        "intermediate_size": 128, "num_attention_heads": 4})";
    auto c = ConfigurationOf({"--model=" + file, "--profile=/a/b/p.txt", "--output=/a/b"});
    EXPECT_EQ(c["model"], "config.json");
    EXPECT_EQ(c["profile"], "p.txt");
}

TEST(Options, ConfigurationLeavesOutWhatHasNoEffect)
{
    EXPECT_EQ(ConfigurationOf({"--fabric=electrical-ideal"}).count("ocs"), 0u);
    EXPECT_EQ(ConfigurationOf({"--control=one-shot"}).count("reconfigurationDelay"), 0u);
    EXPECT_EQ(ConfigurationOf({"--control=one-shot"}).count("ocs"), 1u);
}

TEST(Options, SipFabricsShareWavelengthsAsInThePaper)
{
    // An h200 has 16 wavelengths of 25 Gbps: 8 each way, which 4 rings can share.
    auto ring = ConfigurationOf({"--gpu=h200", "--fsdp=4", "--fabric=sip-ring"});
    EXPECT_EQ(ring["wavelengths"], "16");
    EXPECT_EQ(ring["sipRings"], "4");
    EXPECT_EQ(ring["sipReach"], "16");
    EXPECT_EQ(ring["epoch"], "100us");
    EXPECT_EQ(ring["reconfigurationDelay"], "25us");
    EXPECT_EQ(ring.count("sipSwitches"), 0u);
    EXPECT_EQ(ConfigurationOf({"--fabric=sip-ring", "--wavelengths=320"})["sipRings"], "5");
    auto ocs = ConfigurationOf({"--fabric=sip-ocs", "--wavelengths=320"});
    EXPECT_EQ(ocs["sipSwitches"], "20");
    EXPECT_EQ(ocs.count("epoch"), 0u);
    EXPECT_EQ(ocs.count("reconfigurationDelay"), 0u);
    auto periodic = ConfigurationOf({"--fabric=sip-ocs", "--epoch=1s"});
    EXPECT_EQ(periodic["epoch"], "1s");
    EXPECT_EQ(periodic["reconfigurationDelay"], "30ms");
    ExpectRefused({{{"--fabric=sip-ring", "--wavelengths=15"}, {"--wavelengths=15", "even number"}},
                   {{"--fabric=sip-ring", "--wavelengths=16", "--sipRings=3"},
                    {"--sipRings=3", "divisor of the 8 wavelengths"}},
                   {{"--fabric=sip-ring", "--fidelity=collective"},
                    {"--fidelity=collective", "--fabric=sip-ring"}},
                   {{"--fabric=sip-ocs", "--epoch=1s", "--fidelity=collective"},
                    {"--fidelity=collective", "--fabric=sip-ocs", "--epoch"}}});
    const auto notes = GetUnusedOptionNotes(
        Parse({"--fabric=sip-ocs", "--reconfigurationDelay=1ms", "--sipReach=3"}));
    EXPECT_EQ(notes,
              (Arguments{"note: --fabric=sip-ocs has no use for --sipReach",
                         "note: --fabric=sip-ocs without --epoch has no use for "
                         "--reconfigurationDelay"}));
}

TEST(Options, UnusedOptionsAreNamed)
{
    const auto notes = [](const Arguments& arguments) {
        return GetUnusedOptionNotes(Parse(arguments));
    };
    EXPECT_TRUE(notes({}).empty());
    EXPECT_TRUE(notes({"--ocs=mems", "--profile=p", "--controlDelay=1us"}).empty());
    EXPECT_TRUE(notes({"--fabric=electrical-ideal", "--mtu=9000"}).empty());
    EXPECT_EQ(notes({"--fabric=electrical-ideal", "--control=on-demand", "--ocs=mems"}),
              Arguments{"note: --fabric=electrical-ideal has no use for --ocs, --control"});
    EXPECT_EQ(notes({"--control=one-shot", "--reconfigurationDelay=0", "--profile=p"}),
              Arguments{"note: --control=one-shot has no use for --reconfigurationDelay, "
                        "--profile"});
    EXPECT_EQ(notes({"--control=on-demand", "--profile=p"}),
              Arguments{"note: --control=on-demand has no use for --profile"});
    EXPECT_EQ(notes({"--controlPath=instant", "--controlDelay=1us"}),
              Arguments{"note: --controlPath=instant has no use for --controlDelay"});
}

TEST(Options, DegreesDecideWhatIsGatheredAndReduced)
{
    const Arguments gather{"--prefetch=2", "--parameterGather=forward"};
    const Arguments bucket{"--bucketBytes=25MB"};
    const auto with = [](Arguments arguments, const Arguments& more) {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    const auto notes = [&with](const Arguments& arguments, const Arguments& more) {
        return GetUnusedOptionNotes(Parse(with(arguments, more)));
    };
    EXPECT_TRUE(notes(gather, {"--fsdp=2"}).empty());
    EXPECT_EQ(notes(gather, {"--dp=2"}),
              Arguments{"note: --fsdp=1 has no use for --parameterGather, --prefetch"});
    for (const std::string replicas : {"--dp=2", "--cp=2"})
    {
        EXPECT_TRUE(notes(bucket, {replicas}).empty()) << replicas;
        EXPECT_EQ(ConfigurationOf(with(bucket, {replicas}))["bucketBytes"], "25000000B");
    }
    EXPECT_TRUE(notes(bucket, {"--model=mixtral-8x7b", "--ep=2"}).empty());
    EXPECT_EQ(notes(bucket, {}), Arguments{"note: --dp=1 has no use for --bucketBytes"});
    EXPECT_EQ(notes(bucket, {"--dp=2", "--fsdp=4"}),
              Arguments{"note: --fsdp=4 has no use for --bucketBytes"});
    auto sharded = ConfigurationOf(with(gather, {"--dp=2", "--fsdp=4", "--overlap=off"}));
    EXPECT_EQ(sharded["prefetch"], "2");
    EXPECT_EQ(sharded["overlap"], "off");
    EXPECT_EQ(sharded.count("bucketBytes"), 0u);
    EXPECT_EQ(ConfigurationOf({"--dp=2"}).count("prefetch"), 0u);
}

TEST(Options, ReplayHasNoUseForWhatGeneratesSteps)
{
    const std::string file = ::testing::TempDir() + "phases.csv";
    const auto write = [&file](const std::string& columns, const std::string& row) {
        std::ofstream(file) << "step,pp_stage,phase,parallelism,collectives,start_ms,end_ms"
                            << columns << "\n"
                            << row << "\n";
    };
    const Arguments arguments{"--replay=" + file, "--schedule=gpipe", "--model=llama3-70b"};
    write("", "4,0,0,fsdp,1,0,1");
    EXPECT_EQ(GetUnusedOptionNotes(Parse(arguments)),
              Arguments{"note: --replay=" + file + " has no use for --schedule"});
    for (const Arguments& more : {Arguments{}, Arguments{"--compare"}})
    {
        Arguments all = arguments;
        all.insert(all.end(), more.begin(), more.end());
        auto c = ConfigurationOf(all);
        EXPECT_EQ(c["replay"], "phases.csv");
        EXPECT_EQ(c["replayStep"], "4");
        EXPECT_EQ(c["model"], "llama3-70b");
        EXPECT_EQ(c.count("schedule"), 0u);
        EXPECT_EQ(ConfigurationOf(more).count("replay"), 0u);
        EXPECT_EQ(ConfigurationOf(more).count("replayStep"), 0u);
    }
    write(",bytes", "0,0,0,fsdp,1,0,1,7");
    EXPECT_EQ(GetUnusedOptionNotes(Parse(arguments)),
              Arguments{"note: --replay=" + file + " has no use for --model, --schedule"});
    EXPECT_EQ(ConfigurationOf(arguments)["replayStep"], "0");
}

TEST(Options, ImportHasNoUseForWhatGeneratesSteps)
{
    const std::string file = ::testing::TempDir() + "workload.txt";
    std::ofstream(file) << "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2\n1\n"
                           "mlp -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n";
    const Arguments arguments{"--import=" + file,
                              "--tp=2",
                              "--pp=64", // more than a model has layers
                              "--schedule=gpipe",
                              "--sequenceLength=64",
                              "--mfu=0.5",
                              "--scaleUpLatency=1us"};
    const auto o = Parse(arguments);
    EXPECT_TRUE(o.IsImport());
    ASSERT_NE(o.simai, nullptr);
    EXPECT_EQ(o.simai->layers.size(), 1u);
    EXPECT_TRUE(o.chakra.empty());
    EXPECT_EQ(GetUnusedOptionNotes(o),
              Arguments{"note: --import=" + file +
                        " has no use for --sequenceLength, --schedule, --mfu"});
    for (const Arguments& more : {Arguments{}, Arguments{"--compare"}})
    {
        Arguments all = arguments;
        all.insert(all.end(), more.begin(), more.end());
        auto c = ConfigurationOf(all);
        EXPECT_EQ(c["import"], "workload.txt");
        EXPECT_EQ(c["scaleUpLatency"], "1us");
        EXPECT_EQ(c.count("model"), 0u);
        EXPECT_EQ(c.count("memory"), 0u);
        EXPECT_EQ(ConfigurationOf(more).count("import"), 0u);
        EXPECT_EQ(ConfigurationOf(more).count("export"), 0u);
    }
    ExpectRefused({{{"--import=" + file, "--strictMemory"}, {"expected no --strictMemory"}},
                   {{"--import=/no/such/file"}, {"--import=/no/such/file", "cannot be read"}},
                   {{"--import=" + file, "--tp=2", "--gpusPerNode=3"}, {"--gpusPerNode=3"}}});
}

TEST(Options, FaultsAreRead)
{
    const std::string file = testing::TempDir() + "photonic-rails-faults.txt";
    std::ofstream(file) << "1ms ocs 0 port 3 dead\n2s rank 1 slow 1.5\n";
    const auto o = Parse({"--fsdp=4",
                          "--faults=" + file,
                          "--bringUp=uniform:1s:6s",
                          "--turningTime=25ms",
                          "--straggler=3:1.5,all:uniform:1:2",
                          "--ber=1e-9"});
    ASSERT_TRUE(o.faults.schedule);
    EXPECT_EQ(o.faults.schedule->GetFaults().size(), 2u);
    EXPECT_EQ(o.faults.bringUp, "uniform:1s:6s");
    EXPECT_EQ(o.faults.turningTime, "25ms");
    ASSERT_EQ(o.faults.stragglers.size(), 2u);
    EXPECT_EQ(o.faults.stragglers[0].rank, 3u);
    EXPECT_EQ(o.faults.stragglers[1].rank, FaultOptions::ALL);
    EXPECT_EQ(o.faults.stragglers[1].factor, "uniform:1:2");
    EXPECT_EQ(o.faults.bitErrorRate, 1e-9);
    const auto configuration = GetConfiguration(o);
    const std::map<std::string, std::string> c(configuration.begin(), configuration.end());
    EXPECT_EQ(c.at("faults"), "photonic-rails-faults.txt");
    EXPECT_EQ(c.at("straggler"), "3:1.5,all:uniform:1:2");
    EXPECT_EQ(c.at("ber"), "1e-09");
    for (const char* name : {"faults", "bringUp", "turningTime", "straggler", "ber"})
    {
        EXPECT_EQ(ConfigurationOf({}).count(name), 0u) << "nothing breaks";
    }
    ExpectRefused({
        {{"--faults=/nowhere.txt"}, {"--faults=/nowhere.txt", "cannot be read"}},
        {{"--faults=" + file, "--compare"}, {"--faults: expected no --compare"}},
        {{"--faults=" + file, "--fidelity=collective"}, {"--faults: expected", "ocs-dead"}},
        {{"--bringUp=3"}, {"--bringUp=3", "expected a time"}},
        {{"--bringUp=3s", "--fidelity=collective"}, {"--bringUp: expected --fidelity=packet"}},
        {{"--bringUp=3s", "--fabric=sip-ring"}, {"--bringUp: expected no --fabric=sip-ring"}},
        {{"--bringUp=3s", "--mpi=granted"}, {"--bringUp: expected --mpi=off"}},
        {{"--turningTime=3s", "--fabric=electrical-ideal"}, {"--turningTime: expected"}},
        {{"--straggler=3"}, {"--straggler=3", "expected RANK:FACTOR"}},
        {{"--straggler=x:2"}, {"--straggler=x:2", "expected a whole number"}},
        {{"--straggler=1:2"}, {"--straggler=1:2", "the 1 GPUs"}},
        {{"--ber=2"}, {"--ber=2", "expected a rate"}},
        {{"--ber=1e-9", "--fidelity=message"}, {"--ber: expected --fidelity=packet"}},
    });
    std::remove(file.c_str());
}

TEST(Options, HelpNamesEveryOptionWithValuesAndDefault)
{
    const auto help = GetHelpText();
    for (const std::string line :
         {"--model=NAME|FILE  [llama3-8b]",
          "--gpus=1..1000000  [the product of the degrees]",
          "--schedule=1f1b|gpipe|zb-h1  [1f1b]",
          "--layersPerStage=N,N,...  [even]",
          "--gpu=a100|h100|h200|gb200  [a100]",
          "--mfu=0.001..1  [0.4]",
          "--fabric=photonic|sip-ocs|sip-ring|electrical-ideal|electrical-rail|rail-only|fat-tree  "
          "[photonic]",
          "--oversubscription=1..64  [1]",
          "--mtu=1280..9216  [4096]",
          "--acknowledgements=on|off  [off]",
          "--retransmission=none|go-back-n|selective-repeat  [none]",
          "--congestionControl=none|dcqcn|swift  [none]",
          "--reconfigurationDelay=TIME  [the technology's; 25us on sip-ring, 30ms on sip-ocs]",
          "--drainAll=on|off  [off]",
          "--mpi=off|granted|null  [off]",
          "--output=DIR  [off]",
          "--dumpProgram  [off]"})
    {
        EXPECT_NE(help.find("  " + line + "\n"), std::string::npos) << line;
    }
    std::istringstream lines(help);
    std::size_t options = 0;
    for (std::string line; std::getline(lines, line);)
    {
        EXPECT_LE(line.size(), 100u);
        options += line.compare(0, 4, "  --") == 0;
    }
    EXPECT_EQ(options, 105u);
}

TEST(Quantity, IsExact)
{
    EXPECT_EQ(Quantity::BitRate().Parse("400Gbps"), 400'000'000'000u);
    EXPECT_EQ(Quantity::BitRate().Parse("400000000001bps"), 400'000'000'001u);
    EXPECT_EQ(Quantity::BitRate().Parse("0.400000000001Tbps"), 400'000'000'001u);
    EXPECT_EQ(Quantity::BitRate().Parse("50GB/s"), 400'000'000'000u);
    EXPECT_EQ(Quantity::BitRate().Parse("50GBps"), 400'000'000'000u);
    EXPECT_EQ(Quantity::BitRate().Parse("1.5Gb/s"), 1'500'000'000u);
    EXPECT_EQ(Quantity::ByteRate().Parse("1800GB/s"), 14'400'000'000'000u);
    EXPECT_EQ(Quantity::MemoryRate().Parse("1555GB/s"), 1'555'000'000'000u);
    EXPECT_EQ(Quantity::Duration().Parse("0"), 0u);
    EXPECT_EQ(Quantity::Duration().Parse("0.0"), 0u);
    EXPECT_EQ(Quantity::Duration().Parse("0ms"), 0u);
    EXPECT_EQ(Quantity::Duration().Parse("936.25ns"), 936'250u);
    EXPECT_EQ(Quantity::Duration().Parse("2min"), 120'000'000'000'000u);
    EXPECT_EQ(Quantity::Duration().Parse("24h"), 86'400'000'000'000'000u);
    EXPECT_EQ(Quantity::Duration().Parse("0.1h"), 360'000'000'000'000u);
    EXPECT_EQ(Quantity::Compute().Parse("312TFLOPS"), 312'000'000'000'000u);
}

TEST(Quantity, WritesWhatItReads)
{
    for (const std::string text : {"0s", "1ps", "936250ps", "15ms", "120s", "86400s"})
    {
        EXPECT_EQ(Quantity::Duration().Format(Quantity::Duration().Parse(text)), text);
    }
    for (const std::string text : {"400Gbps", "1600Gbps", "2Tbps", "400000000001bps"})
    {
        EXPECT_EQ(Quantity::BitRate().Format(Quantity::BitRate().Parse(text)), text);
    }
}

} // namespace photonic
} // namespace ns3

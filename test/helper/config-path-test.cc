/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/opus-helper.h"
#include "ns3/opus-packet-path.h"
#include "ns3/simulator.h"
#include "ns3/sip-helper.h"
#include "ns3/step-program-builder.h"
#include "ns3/string.h"
#include "ns3/training-job-helper.h"
#include "ns3/uinteger.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// A job of two stages of two replicas, two GPUs per node, whose objects are found by paths alone.
struct ConfigPathTest : public ::testing::Test
{
    ConfigPathTest()
        : parallel(Degrees()),
          jobHelper(parallel, BuildStepPrograms(Plan()))
    {
    }

    ~ConfigPathTest() override
    {
        Simulator::Destroy();
        EXPECT_EQ(Config::LookupMatches("/$ns3::photonic::TrainingJob").GetN(), 0u);
    }

    static ParallelPlan::Degrees Degrees()
    {
        ParallelPlan::Degrees degrees;
        degrees.tp = 2;
        degrees.fsdp = 2;
        degrees.pp = 2;
        degrees.gpusPerNode = 2;
        return degrees;
    }

    static TrainingPlan Plan()
    {
        TransformerShape shape;
        shape.hidden = 64;
        shape.intermediate = 128;
        shape.layers = 4;
        shape.heads = 4;
        shape.kvHeads = 2;
        shape.headDim = 16;
        shape.vocabulary = 100;
        TrainingPlan plan;
        plan.model = TransformerModel(shape);
        plan.sequenceLength = 64;
        plan.degrees = Degrees();
        return plan;
    }

    void Install(const std::string& controlPath)
    {
        TrainingFabricHelper helper;
        helper.GetPhotonic().SetSwitchAttribute("ReconfigurationDelay", StringValue("1ms"));
        helper.SetPortLayout(
            PortLayout::Shared(DataRate("400Gbps"), 2, PipelineLanes::ONE_PER_NEIGHBOUR));
        fabric = helper.InstallPhotonic(parallel);
        opus.SetControlPath(controlPath);
        opus.SetShimAttribute("Provisioned", BooleanValue(false));
        opus.Install(parallel, fabric);
        jobHelper.SetGates([this](uint32_t rank) { return opus.GetShim(rank); });
        job = jobHelper.Install(fabric);
    }

    ParallelPlan parallel;
    TrainingJobHelper jobHelper;
    TrainingFabric fabric;
    OpusHelper opus;
    Ptr<TrainingJob> job;
};

/// @return how many objects a path leads to
std::size_t
Count(const std::string& path)
{
    return Config::LookupMatches(path).GetN();
}

uint32_t g_requests;
uint32_t g_reconfigurations;
uint32_t g_operations;
uint32_t g_finished;
Time g_dark;

void
CountRequest(std::string, uint32_t, const OpusKey&, bool)
{
    g_requests++;
}

void
CountReconfiguration(std::string, const OpusController::Record& record)
{
    g_reconfigurations++;
    g_dark = std::max(g_dark, record.done - record.dark);
}

void
CountOperation(std::string, const OperationRecord&)
{
    g_operations++;
}

void
CountFinished(std::string)
{
    g_finished++;
}

std::string
Contents(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

TEST_F(ConfigPathTest, LeadToEveryObject)
{
    for (const std::string controlPath : {"packets", "delay"})
    {
        Install(controlPath);
        const std::string rank = "/NodeList/*/ApplicationList/*/$ns3::photonic::RankApplication";
        EXPECT_EQ(Count("/NodeList/*/DeviceList/*/$ns3::photonic::OpticalNetDevice"), 8u * 2);
        EXPECT_EQ(Count("/NodeList/*/DeviceList/*/$ns3::photonic::OpticalNetDevice/TxQueue"), 16u);
        EXPECT_EQ(Count("/ChannelList/*/$ns3::photonic::OpticalChannel"), 16u);
        EXPECT_EQ(Count("/NodeList/*/$ns3::photonic::OpticalCircuitSwitch"), 2u);
        EXPECT_EQ(Count("/NodeList/*/$ns3::photonic::MessageEndpoint"), 8u);
        EXPECT_EQ(Count(rank), 8u);
        EXPECT_EQ(Count(rank + "/Gate/$ns3::photonic::OpusShim"), 8u);
        // Of its tensor parallel group, its replicas, its neighbour's pair, and the pipeline.
        EXPECT_EQ(Count(rank + "/Communicators/*"), 8u * 4);
        EXPECT_EQ(Count("/NodeList/*/$ns3::photonic::OpusController"), 1u);
        EXPECT_EQ(Count("/NodeList/*/$ns3::photonic::OpusController/ControlPath"), 1u);
        EXPECT_EQ(Count("/NodeList/*/$ns3::photonic::OpusController/Schedulers/*"), 2u);
        EXPECT_EQ(Count("/NodeList/*/$ns3::photonic::OpusController/Schedulers/1"
                        "/$ns3::photonic::FcfsCircuitScheduler"),
                  1u);
        EXPECT_EQ(Count("/$ns3::photonic::TrainingJob"), 1u);
        EXPECT_EQ(Count("/$ns3::photonic::TrainingJob/ScaleUpDomains/*"), 4u);
        Simulator::Destroy();
    }
}

TEST(ConfigPath, LeadsToWavelengthsAndTheirController)
{
    TrafficMatrix traffic(4);
    for (uint32_t gpu = 0; gpu < 4; gpu++)
    {
        traffic.Set(gpu, (gpu + 1) % 4, 1'000'000);
    }
    const auto fabric = TrainingFabricHelper().InstallWdm(ParallelPlan({1, 1, 4, 1}), traffic);
    const auto strategy = Create<SipRingStrategy>(WdmRing({4, 1, 1}));
    EXPECT_THROW(InstallSipController(fabric, strategy, MicroSeconds(50)), std::invalid_argument);
    for (uint32_t gpu = 0; gpu < 4; gpu++)
    {
        fabric.gpus.Get(gpu)->AggregateObject(CreateObject<MessageEndpoint>());
    }
    InstallSipController(fabric, strategy, MicroSeconds(50));
    const std::string path = "/NodeList/*/$ns3::photonic::WdmFabric";
    EXPECT_EQ(Count(path), 1u);
    EXPECT_EQ(Count(path + "/$ns3::photonic::SipController"), 1u);
    Config::Set(path + "/RetuningDelay", StringValue("7us"));
    EXPECT_EQ(fabric.wdm->GetRetuningDelay(), MicroSeconds(7));
    Config::Set("/NodeList/*/$ns3::photonic::SipController/LiveTime", StringValue("90us"));
    TimeValue live;
    fabric.wdm->GetObject<SipController>()->GetAttribute("LiveTime", live);
    EXPECT_EQ(live.Get(), MicroSeconds(90));
    Simulator::Destroy();
}

TEST_F(ConfigPathTest, LeadToTheTransportOfTheJob)
{
    auto transport = CreateObject<ReliableTransport>();
    transport->SetAttribute("Retransmission", StringValue("go-back-n"));
    jobHelper.SetTransport(transport);
    Install("delay");
    const std::string path = "/$ns3::photonic::TrainingJob/$ns3::photonic::ReliableTransport";
    ASSERT_EQ(Count(path), 1u);
    Config::Set(path + "/Window", UintegerValue(7));
    UintegerValue window;
    job->GetObject<ReliableTransport>()->GetAttribute("Window", window);
    EXPECT_EQ(window.Get(), 7u);
    EXPECT_EQ(job->GetObject<ReliableTransport>()->GetSettings().window, 7u);
    transport->GetAttribute("Window", window);
    EXPECT_NE(window.Get(), 7u) << "the settings of another job stay";
    Simulator::Run();
    EXPECT_TRUE(job->IsFinished());
}

TEST_F(ConfigPathTest, AttributesAndTraces)
{
    Install("delay");
    Config::Set("/NodeList/*/$ns3::photonic::OpticalCircuitSwitch/ReconfigurationDelay",
                StringValue("3ms"));
    Config::Set("/NodeList/*/DeviceList/0/$ns3::photonic::OpticalNetDevice/DataRate",
                StringValue("100Gbps"));
    Config::Set("/NodeList/*/$ns3::photonic::OpusController/ServiceTime", StringValue("5us"));
    DataRateValue rate;
    fabric.ports[0][0]->GetAttribute("DataRate", rate);
    EXPECT_EQ(rate.Get(), DataRate("100Gbps"));
    g_requests = g_reconfigurations = g_operations = g_finished = 0;
    g_dark = Time();
    const std::string rank = "/NodeList/*/ApplicationList/*/$ns3::photonic::RankApplication/";
    Config::Connect(rank + "Gate/$ns3::photonic::OpusShim/Request", MakeCallback(&CountRequest));
    Config::Connect(rank + "Operation", MakeCallback(&CountOperation));
    Config::Connect("/NodeList/*/$ns3::photonic::OpusController/Reconfiguration",
                    MakeCallback(&CountReconfiguration));
    Config::Connect("/$ns3::photonic::TrainingJob/Finished", MakeCallback(&CountFinished));
    Simulator::Run();
    EXPECT_EQ(g_finished, 1u);
    EXPECT_EQ(g_operations, job->GetCompleted());
    uint64_t requests = 0;
    for (uint32_t i = 0; i < parallel.GetRanks(); i++)
    {
        requests += opus.GetShim(i)->GetRequests();
    }
    EXPECT_EQ(g_requests, requests);
    EXPECT_GE(g_reconfigurations, opus.GetController()->GetReconfigurations());
    EXPECT_EQ(g_dark, MilliSeconds(3) + NanoSeconds(50)) << "as set by its path, and a fibre";
}

TEST_F(ConfigPathTest, ControlMessagesAreCaptured)
{
    Install("packets");
    const std::string prefix = testing::TempDir() + "photonic-rails-control";
    opus.EnablePcap(prefix);
    opus.EnableAscii(prefix);
    const auto packets = DynamicCast<OpusPacketPath>(opus.GetControlPath());
    const uint32_t controller = packets->GetControllerNode()->GetId();
    const uint64_t ofController = packets->GetControllerNode()->GetNDevices();
    Simulator::Run();
    EXPECT_TRUE(job->IsFinished());
    const uint64_t messages = opus.GetControlPath()->GetMessages();
    Simulator::Destroy();
    EXPECT_GE(ofController, 1u);
    uint64_t sent = 0;
    uint64_t received = 0;
    for (uint32_t device = 0; device < 10; device++)
    {
        std::ostringstream name;
        name << prefix << "-" << controller << "-" << device;
        std::istringstream lines(Contents(name.str() + ".tr"));
        for (std::string line; std::getline(lines, line);)
        {
            sent += line[0] == '-';
            received += line[0] == 'r';
        }
    }
    EXPECT_EQ(sent + received, messages) << "both ways, at the controller";
    for (uint32_t node = 0; node < 100; node++)
    {
        for (uint32_t device = 0; device < 20; device++)
        {
            const std::string name =
                prefix + "-" + std::to_string(node) + "-" + std::to_string(device);
            std::remove((name + ".pcap").c_str());
            std::remove((name + ".tr").c_str());
        }
    }
    OpusHelper none;
    EXPECT_THROW(none.EnablePcap(prefix), std::logic_error);
}

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics/optics-test-helper.h"

#include "ns3/net-device-queue-interface.h"
#include "ns3/node-container.h"
#include "ns3/rail-helper.h"
#include "ns3/training-fabric-helper.h"
#include "ns3/uinteger.h"

#include <cstdio>
#include <fstream>
#include <set>

namespace ns3
{
namespace photonic
{

class RailHelperTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        Simulator::Destroy();
    }

    /// Count what a device receives.
    void Observe(Ptr<NetDevice> device)
    {
        device->SetReceiveCallback(NetDevice::ReceiveCallback(
            [this](Ptr<NetDevice> d, Ptr<const Packet>, uint16_t, const Address&) {
                received.emplace_back(Simulator::Now(), d);
                return true;
            }));
    }

    std::vector<std::pair<Time, Ptr<NetDevice>>> received;
};

TEST_F(RailHelperTest, PortsFollowNodesOnBothKindsOfSwitch)
{
    for (bool electrical : {false, true})
    {
        SCOPED_TRACE(electrical);
        NodeContainer nodes;
        nodes.Create(3);
        PhotonicRailHelper photonic;
        ElectricalRailHelper packets;
        auto devices = electrical ? packets.Install(nodes, 2) : photonic.Install(nodes, 2);
        ASSERT_EQ(devices.GetN(), 6U);
        std::set<Mac48Address> addresses;
        for (uint32_t k = 0; k < 6; k++)
        {
            EXPECT_EQ(devices.Get(k)->GetNode(), nodes.Get(k / 2));
            EXPECT_EQ(devices.Get(k), nodes.Get(k / 2)->GetDevice(k % 2));
            addresses.insert(Mac48Address::ConvertFrom(devices.Get(k)->GetAddress()));
            Observe(devices.Get(k));
        }
        EXPECT_EQ(addresses.size(), 6U);
        // Port i * 2 + p: from the second port of node 0 to the first of node 2.
        const Address to = devices.Get(4)->GetAddress();
        if (electrical)
        {
            EXPECT_EQ(packets.GetSwitch()->GetNPorts(), 6U);
            packets.GetSwitch()->SetBlocked(4, true); // is it this port?
            Simulator::Schedule(MicroSeconds(7),
                                [&packets]() { packets.GetSwitch()->SetBlocked(4, false); });
        }
        else
        {
            photonic.GetSwitch()->Preset({{1, 4}});
        }
        devices.Get(1)->Send(Create<Packet>(PAYLOAD), to, PROTOCOL);
        Simulator::Run();
        ASSERT_EQ(received.size(), 1U);
        EXPECT_EQ(received[0].second, devices.Get(4));
        // By default 200 Gbps and 50 ns of fibre: 1,000 bytes take 40 ns.
        EXPECT_EQ(received[0].first,
                  electrical ? NanoSeconds(7000 + 40 + 50) : NanoSeconds(40 + 2 * 50));
        received.clear();
        Simulator::Destroy();
    }
}

TEST_F(RailHelperTest, TooManyPortsAreRefusedWithBothNumbers)
{
    NodeContainer nodes;
    nodes.Create(9);
    PhotonicRailHelper helper;
    helper.SetTechnology(OcsTechnology::Get("plzt")); // 16 ports
    const auto refusal =
        GetRefusal<std::invalid_argument>([&helper, &nodes] { helper.Install(nodes, 2); });
    EXPECT_NE(refusal.find("18"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("16"), std::string::npos) << refusal;
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        EXPECT_EQ(nodes.Get(i)->GetNDevices(), 0U) << "nothing half-built";
    }
    helper.SetSwitchAttribute("Radix", UintegerValue(18));
    EXPECT_EQ(helper.Install(nodes, 2).GetN(), 18U);
    EXPECT_EQ(helper.GetSwitch()->GetRadix(), 18U);
    EXPECT_EQ(helper.GetSwitch()->GetReconfigurationDelay(), NanoSeconds(10));
}

TEST_F(RailHelperTest, EachRailHasASwitchOfItsOwn)
{
    NodeContainer nodes;
    nodes.Create(2);
    PhotonicRailHelper helper;
    helper.Install(nodes, 1);
    auto first = helper.GetSwitch();
    helper.Install(nodes, 1);
    EXPECT_NE(helper.GetSwitch(), first);
    EXPECT_EQ(nodes.Get(0)->GetNDevices(), 2U);
}

TEST_F(RailHelperTest, AttributesRatesAndQueuesReachTheDevices)
{
    NodeContainer nodes;
    nodes.Create(2);
    ElectricalRailHelper helper;
    helper.SetDeviceAttribute("Mtu", UintegerValue(1500));
    helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate("1Gbps")));
    helper.SetFibreAttribute("Delay", TimeValue(NanoSeconds(123)));
    helper.SetQueueSize(QueueSize("7p"));
    helper.SetPortRates({DataRate("8Gbps"), DataRate("4Gbps")});
    auto devices = helper.Install(nodes, 2);
    for (uint32_t k = 0; k < 4; k++)
    {
        auto device = DynamicCast<OpticalNetDevice>(devices.Get(k));
        EXPECT_EQ(device->GetMtu(), 1500U);
        EXPECT_EQ(device->GetDataRate(), DataRate(k % 2 ? "4Gbps" : "8Gbps"));
        EXPECT_EQ(device->GetQueue()->GetMaxSize(), QueueSize("7p"));
        EXPECT_EQ(DynamicCast<OpticalChannel>(device->GetChannel())->GetDelay(), NanoSeconds(123));
        EXPECT_TRUE(device->GetObject<NetDeviceQueueInterface>());
        Observe(device);
    }
    // The ports of the switch have the rates, too: 1,000 bytes at 8 and 4 Gbps.
    devices.Get(0)->Send(Create<Packet>(PAYLOAD), devices.Get(2)->GetAddress(), PROTOCOL);
    devices.Get(1)->Send(Create<Packet>(PAYLOAD), devices.Get(3)->GetAddress(), PROTOCOL);
    Simulator::Run();
    ASSERT_EQ(received.size(), 2U);
    EXPECT_EQ(received[0].first, NanoSeconds(1000 + 246));
    EXPECT_EQ(received[1].first, NanoSeconds(2000 + 246));
}

TEST_F(RailHelperTest, OneFibreJoinsTwoNodes)
{
    NodeContainer nodes;
    nodes.Create(2);
    OpticalPortHelper helper;
    auto devices = helper.Install(nodes.Get(0), nodes.Get(1));
    ASSERT_EQ(devices.GetN(), 2U);
    EXPECT_TRUE(devices.Get(0)->IsLinkUp());
    Observe(devices.Get(1));
    devices.Get(0)->Send(Create<Packet>(PAYLOAD), devices.Get(1)->GetAddress(), PROTOCOL);
    Simulator::Run();
    ASSERT_EQ(received.size(), 1U);
    EXPECT_EQ(received[0].first, NanoSeconds(40 + 50));
    // A port of which the other end is free.
    auto port = helper.Install(nodes.Get(0));
    EXPECT_FALSE(port->IsLinkUp());
    EXPECT_TRUE(port->GetChannel());
}

TEST_F(RailHelperTest, CaptureFilesAreNamedAfterNodeAndDevice)
{
    const std::string prefix = testing::TempDir() + "photonic-rails-helper";
    uint32_t id = 0;
    {
        NodeContainer nodes;
        nodes.Create(2);
        OpticalPortHelper helper;
        auto devices = helper.Install(nodes.Get(0), nodes.Get(1));
        id = nodes.Get(0)->GetId();
        helper.EnablePcap(prefix, devices.Get(0));
        Observe(devices.Get(1));
        devices.Get(0)->Send(Create<Packet>(100), devices.Get(1)->GetAddress(), PROTOCOL);
        Simulator::Run();
        Simulator::Destroy();
        received.clear();
    }
    const std::string name = prefix + "-" + std::to_string(id) + "-0.pcap";
    std::ifstream file(name, std::ios::binary | std::ios::ate);
    ASSERT_TRUE(file.is_open()) << name;
    // A file header, a record header, the Ethernet header and the payload.
    EXPECT_EQ(file.tellg(), 24 + 16 + 14 + 100);
    std::remove(name.c_str());
}

TEST_F(RailHelperTest, TextTellsAPacketsLife)
{
    const std::string name = testing::TempDir() + "photonic-rails-helper.tr";
    {
        NodeContainer nodes;
        nodes.Create(3);
        PhotonicRailHelper helper;
        helper.SetSwitchAttribute("ReconfigurationDelay", TimeValue(MilliSeconds(1)));
        helper.SetDeviceAttribute("DarkPolicy", StringValue("drop"));
        const auto devices = helper.Install(nodes, 1);
        auto ocs = helper.GetSwitch();
        ocs->Preset({{0, 1}});
        AsciiTraceHelper ascii;
        helper.EnableAscii(ascii.CreateFileStream(name), nodes);
        const auto send = [&] {
            devices.Get(0)->Send(Create<Packet>(PAYLOAD), devices.Get(1)->GetAddress(), PROTOCOL);
        };
        Simulator::Schedule(MicroSeconds(1), send);
        Simulator::Schedule(MicroSeconds(2), [ocs] { ocs->Reconfigure({{0, 2}}); });
        Simulator::Schedule(MicroSeconds(3), send);
        Simulator::Run();
        Simulator::Destroy();
    }
    std::ifstream file(name);
    std::string life;
    std::string last;
    for (std::string line; std::getline(file, line); last = line)
    {
        life += line[0];
    }
    EXPECT_EQ(life, "+-rd");
    EXPECT_NE(last.find("(no light)"), std::string::npos) << last;
    std::remove(name.c_str());
}

TEST_F(RailHelperTest, StreamsOfPacketSwitches)
{
    NodeContainer nodes;
    nodes.Create(2);
    ElectricalRailHelper helper;
    helper.Install(nodes, 1);
    EXPECT_EQ(helper.AssignStreams(7), 1);
    TrainingFabricHelper fabrics;
    ParallelPlan::Degrees degrees;
    degrees.tp = 2;
    degrees.fsdp = 4;
    degrees.gpusPerNode = 2;
    const ParallelPlan plan(degrees);
    fabrics.SetPortLayout(PortLayout::Shared(DataRate("400Gbps"), 2, PipelineLanes::STRIPED));
    EXPECT_EQ(TrainingFabricHelper::AssignStreams(fabrics.InstallPhotonic(plan), 7), 0);
    EXPECT_EQ(TrainingFabricHelper::AssignStreams(fabrics.InstallElectricalIdeal(plan), 7), 2)
        << "one for each rail";
}

} // namespace photonic
} // namespace ns3

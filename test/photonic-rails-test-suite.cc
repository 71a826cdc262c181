/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * The suite that ns-3's test.py runs in a tree: whole systems against closed forms, in any time
 * resolution. What they consist of is tested by the standalone build.
 */
#include "ns3/communicator.h"
#include "ns3/packet-port.h"
#include "ns3/photonic-compat.h"
#include "ns3/rail-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

const Time FIBRE = NanoSeconds(50);

/// At this rate a byte takes a nanosecond.
const char* const BYTE_PER_NANOSECOND = "8Gbps";

/// Bytes on the line beside the payload of a frame, and beside that of a training packet.
constexpr uint32_t FRAME = 14 + 24;
constexpr uint32_t TRAINING = FRAME + 60;

/// @return a helper for rails of fibres of FIBRE @param rate of the ports
PhotonicRailHelper
MakeRail(const char* rate)
{
    PhotonicRailHelper rail;
    rail.SetDeviceAttribute("DataRate", StringValue(rate));
    rail.SetFibreAttribute("Delay", TimeValue(FIBRE));
    rail.SetSwitchAttribute("ReconfigurationDelay", TimeValue(MicroSeconds(10)));
    return rail;
}

/// Packets end at cumulative bits / rate, and cost one serialisation and two fibres.
class PacketTimeTestCase : public TestCase
{
  public:
    PacketTimeTestCase()
        : TestCase("packets over a circuit take one serialisation and the propagation")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t payload = 1500;
        auto rail = MakeRail("7Gbps"); // a byte takes 8/7 ns
        const auto devices = rail.Install(NodeContainer(2), 1);
        rail.GetSwitch()->Preset({{0, 1}});
        std::vector<Time> arrivals;
        devices.Get(1)->SetReceiveCallback(FunctionCallback(
            [&arrivals](Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&) {
                arrivals.push_back(Simulator::Now());
                return true;
            }));
        for (int i = 0; i < 50; i++)
        {
            devices.Get(0)->Send(Create<Packet>(payload), devices.Get(1)->GetAddress(), 0x88b5);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), 50, "packets were lost");
        for (int64_t k = 1; k <= 50; k++)
        {
            const int64_t sevenths = k * (payload + FRAME) * NanoSeconds(8).GetTimeStep();
            NS_TEST_EXPECT_MSG_EQ(arrivals[k - 1],
                                  TimeStep((sevenths + 6) / 7) + 2 * FIBRE,
                                  "packet " << k);
        }
        Simulator::Destroy();
    }
};

/// Who waits for light gets it one reconfiguration and one fibre after the request.
class DarkTimeTestCase : public TestCase
{
  public:
    DarkTimeTestCase()
        : TestCase("a packet waits for its circuit as long as the ports are dark")
    {
    }

  private:
    void DoRun() override
    {
        auto rail = MakeRail(BYTE_PER_NANOSECOND);
        const auto devices = rail.Install(NodeContainer(3), 1);
        auto ocs = rail.GetSwitch();
        ocs->Preset({{0, 1}});
        std::vector<Time> arrivals;
        devices.Get(2)->SetReceiveCallback(FunctionCallback(
            [&arrivals](Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&) {
                arrivals.push_back(Simulator::Now());
                return true;
            }));
        Simulator::Schedule(MicroSeconds(1), [ocs] { ocs->Reconfigure({{0, 2}}); });
        Simulator::Schedule(MicroSeconds(2), [&devices] {
            devices.Get(0)->Send(Create<Packet>(962), devices.Get(2)->GetAddress(), 0x88b5);
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), 1, "the packet was lost");
        NS_TEST_EXPECT_MSG_EQ(arrivals[0],
                              MicroSeconds(1) + MicroSeconds(10) + FIBRE + NanoSeconds(1000) +
                                  2 * FIBRE,
                              "light comes back after the reconfiguration and one fibre");
        NS_TEST_EXPECT_MSG_EQ(ocs->GetDarkTime(), 2 * MicroSeconds(10), "two ports were dark");
        NS_TEST_EXPECT_MSG_EQ(ocs->GetLostPackets(), 0, "nothing was on the line");
        Simulator::Destroy();
    }
};

/// 2 (n - 1) steps, each as long as a chunk on the line and two fibres.
class RingAllReduceTestCase : public TestCase
{
  public:
    RingAllReduceTestCase()
        : TestCase("an all-reduce on a ring of circuits")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t n = 4;
        constexpr uint32_t chunk = 10'000; // three packets of up to 4,036 bytes
        auto rail = MakeRail(BYTE_PER_NANOSECOND);
        const NodeContainer nodes(n);
        const auto devices = rail.Install(nodes, 2);
        auto directory = Create<MessageDirectory>();
        std::vector<uint32_t> ranks;
        std::vector<Circuit> circuits;
        std::vector<Ptr<Communicator>> members;
        for (uint32_t rank = 0; rank < n; rank++)
        {
            ranks.push_back(rank);
            circuits.push_back({2 * rank, 2 * ((rank + 1) % n) + 1});
            auto endpoint = CreateObject<MessageEndpoint>();
            nodes.Get(rank)->AggregateObject(endpoint);
            endpoint->SetRank(rank, directory);
            for (uint32_t port = 0; port < 2; port++)
            {
                endpoint->AddPort(std::make_unique<PacketPort>(
                    *endpoint,
                    DynamicCast<OpticalNetDevice>(devices.Get(2 * rank + port)),
                    10 * rank + port));
            }
        }
        rail.GetSwitch()->Preset(circuits);
        std::vector<Time> ends;
        for (uint32_t rank = 0; rank < n; rank++)
        {
            members.push_back(CreateObject<Communicator>());
            members.back()->Configure(1,
                                      ranks,
                                      nodes.Get(rank)->GetObject<MessageEndpoint>(),
                                      {{0, 1}, {1, 0}});
            Simulator::Schedule(MicroSeconds(3), [this, &ends, member = members.back()] {
                member->AllReduce(2 * n * chunk, [this, &ends](const CollectiveResult& result) {
                    ends.push_back(Simulator::Now());
                    NS_TEST_EXPECT_MSG_EQ(result.sent, 4 * (n - 1) * chunk, "bytes of a member");
                });
            });
        }
        Simulator::Run();
        const Time step = NanoSeconds(chunk + 3 * TRAINING) + 2 * FIBRE;
        NS_TEST_ASSERT_MSG_EQ(ends.size(), n, "members that ended");
        for (Time end : ends)
        {
            NS_TEST_EXPECT_MSG_EQ(end, MicroSeconds(3) + 2 * (n - 1) * step, "end of the ring");
        }
        for (const auto& member : members)
        {
            member->Dispose();
        }
        Simulator::Destroy();
    }
};

class PhotonicRailsTestSuite : public TestSuite
{
  public:
    PhotonicRailsTestSuite()
        : TestSuite("photonic-rails", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new PacketTimeTestCase);
        AddTestCase(new DarkTimeTestCase);
        AddTestCase(new RingAllReduceTestCase);
    }
};

const PhotonicRailsTestSuite g_suite; ///< registers itself

} // namespace

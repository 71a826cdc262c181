/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics-test-helper.h"

#include "ns3/boolean.h"

#include <algorithm>
#include <malloc.h>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <tuple>

namespace ns3
{
namespace photonic
{

namespace
{

/// A circuit as the traces of the switch tell it.
struct CircuitLife
{
    uint32_t in;
    uint32_t out;
    Time up;
    Time down;
};

/// A packet as its transmitter put it on the line.
struct Sent
{
    Time start;
    uint32_t frame; ///< bytes
    uint32_t from;
    uint64_t uid;
};

} // namespace

/// Random traffic over random changes, judged packet by packet from what was put on the lines and
/// from the life of the circuits alone: which packets must arrive, where and when.
class CircuitPropertyTest : public CircuitTest
{
  protected:
    static constexpr uint32_t PORTS = 6;

    void ObserveCircuits()
    {
        lives.clear();
        ocs->TraceConnectWithoutContext(
            "Circuit",
            Callback<void, uint32_t, uint32_t, uint64_t, bool>(
                [this](uint32_t in, uint32_t out, uint64_t generation, bool up) {
                    if (up)
                    {
                        lives[generation] = {in, out, Simulator::Now(), Time::Max()};
                    }
                    else
                    {
                        ASSERT_EQ(lives.at(generation).down, Time::Max());
                        lives.at(generation).down = Simulator::Now();
                    }
                }));
    }

    void ObserveLines()
    {
        sent.clear();
        for (uint32_t i = 0; i < PORTS; i++)
        {
            devices[i]->TraceConnectWithoutContext(
                "PhyTxBegin",
                Callback<void, Ptr<const Packet>>([this, i](Ptr<const Packet> p) {
                    sent.push_back({Simulator::Now(), p->GetSize(), i, p->GetUid()});
                }));
        }
    }

    /// @return the fibre's delay of a port
    Time Fibre(uint32_t port) const
    {
        return DynamicCast<OpticalChannel>(devices[port]->GetChannel())->GetDelay();
    }

    using Arrivals = std::vector<std::tuple<Time, uint32_t, uint64_t>>;

    /// @return what has to arrive: instant, device, packet, sorted
    Arrivals GetExpected() const
    {
        Arrivals expected;
        for (const Sent& packet : sent)
        {
            const Time fibre = Fibre(packet.from);
            const Time last =
                packet.start + LineTime(packet.frame + LINE_OVERHEAD, ROUND_RATE) + fibre;
            for (const auto& [generation, life] : lives)
            {
                // Sent into the light of this circuit, and not into that of one before which was
                // gone already; and out of the switch in time.
                if (life.in == packet.from && life.up + fibre <= packet.start && last <= life.down)
                {
                    expected.emplace_back(last + Fibre(life.out), life.out, packet.uid);
                }
            }
        }
        std::sort(expected.begin(), expected.end());
        return expected;
    }

    Arrivals GetArrivals() const
    {
        Arrivals arrivals;
        for (const auto& r : received)
        {
            arrivals.emplace_back(r.at, r.device, r.uid);
        }
        std::sort(arrivals.begin(), arrivals.end());
        return arrivals;
    }

    /// @return empty if what arrived is what has to
    std::string GetFirstDifference() const
    {
        const Arrivals arrivals = GetArrivals();
        const Arrivals expected = GetExpected();
        const std::size_t common = std::min(arrivals.size(), expected.size());
        const std::size_t i =
            std::mismatch(arrivals.begin(), arrivals.begin() + common, expected.begin()).first -
            arrivals.begin();
        std::ostringstream difference;
        auto print = [&difference, i](const char* what, const Arrivals& list) {
            difference << what << ' ';
            if (i < list.size())
            {
                const auto& [at, device, uid] = list[i];
                difference << "packet " << uid << " at device " << device << " at " << at << "; ";
            }
            else
            {
                difference << "none; ";
            }
        };
        if (arrivals != expected)
        {
            print("arrived:", arrivals);
            print("expected:", expected);
        }
        return difference.str();
    }

    std::vector<Sent> sent;
    std::map<uint64_t, CircuitLife> lives; ///< by generation
};

TEST_F(CircuitPropertyTest, EveryPacketIsDeliveredLostDroppedOrStillQueued)
{
    constexpr uint32_t seed = 31;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    uint64_t allLost = 0;
    uint64_t allDropped = 0;
    uint64_t allQueued = 0;
    for (uint32_t round = 0; round < 120; round++)
    {
        SCOPED_TRACE("round " + std::to_string(round));
        const bool drain = round % 2;
        const bool simplex = round / 2 % 2;
        // Without traces and with packet sources only, transmitters are at their laziest.
        const bool lazy = round / 4 % 2;
        ocs->SetAttribute("Simplex", BooleanValue(simplex));
        SetPolicy(drain ? "drain-current-packet" : "lose");
        const int64_t delay = random() % 2 ? 0 : 1 + random() % 3000;
        SetDelay(NanoSeconds(delay));
        std::vector<Time> fibres;
        for (uint32_t i = 0; i < PORTS; i++)
        {
            fibres.push_back(NanoSeconds(random() % 3 ? random() % 2000 : 0));
        }
        AddPorts(fibres);
        ObserveCircuits();
        if (!lazy)
        {
            ObserveLines();
        }
        std::vector<std::unique_ptr<ListSource>> sources;
        for (const auto& device : devices)
        {
            device->SetAttribute("DarkPolicy", StringValue(random() % 2 ? "wait" : "drop"));
            device->GetQueue()->SetMaxSize(QueueSize("30p"));
            sources.push_back(std::make_unique<ListSource>(device));
        }
        uint64_t offered = 0;
        for (uint32_t burst = 0; burst < 120; burst++)
        {
            const uint32_t from = random() % PORTS;
            const uint32_t count = 1 + random() % 12;
            const uint32_t payload = 10 * (1 + random() % 200) - 8; // whole ns on the line
            const Time at = NanoSeconds(random() % 40000);
            offered += count;
            if (lazy || random() % 3 == 0)
            {
                At(at, [&sources, from, count, payload]() { sources[from]->Post(payload, count); });
            }
            else
            {
                At(at, [this, from, count, payload]() {
                    for (uint32_t k = 0; k < count; k++)
                    {
                        Send(from, payload);
                    }
                });
            }
        }
        const uint32_t requests = 40;
        for (uint32_t k = 0; k < requests; k++)
        {
            std::vector<uint32_t> ports(PORTS);
            std::iota(ports.begin(), ports.end(), 0);
            std::shuffle(ports.begin(), ports.end(), random);
            std::vector<Circuit> circuits(1 + random() % 3);
            for (std::size_t c = 0; c < circuits.size(); c++)
            {
                circuits[c] = {ports[2 * c], ports[2 * c + 1]};
            }
            ReconfigureAt(NanoSeconds(random() % 40000), circuits);
        }
        Simulator::Run();
        ASSERT_EQ(outcomes.size(), requests) << "a request was forgotten";

        uint64_t tornDown = 0;
        uint64_t dropped = 0;
        uint64_t queued = 0;
        for (uint32_t i = 0; i < PORTS; i++)
        {
            tornDown += Drops(i, "circuit torn down");
            dropped += Drops(i, "queue full") + Drops(i, "no light");
            queued += devices[i]->GetQueue()->GetNPackets() + sources[i]->GetNPackets();
            for (std::size_t k = 0; lazy && k < sources[i]->starts.size(); k++)
            {
                if (sources[i]->accepted[k])
                {
                    sent.push_back({sources[i]->starts[k].ToTime(),
                                    sources[i]->frames[k],
                                    i,
                                    sources[i]->uids[k]});
                }
            }
        }
        if (delay > 0)
        {
            // Otherwise circuits come and go in one tick, and times do not tell the order.
            ASSERT_EQ(GetFirstDifference(), "");
        }
        ASSERT_EQ(sent.size(), received.size() + tornDown);
        ASSERT_EQ(offered, received.size() + tornDown + dropped + queued);
        ASSERT_EQ(ocs->GetLostPackets(), tornDown);
        ASSERT_EQ(lost["circuit torn down"], tornDown);
        ASSERT_TRUE(!drain || tornDown == 0) << tornDown;
        allLost += tornDown;
        allDropped += dropped;
        allQueued += queued;
        sent.clear();
        sources.clear();
        StartOver();
    }
    // The test is worth something only if all of this happened.
    EXPECT_GT(allLost, 100U);
    EXPECT_GT(allDropped, 100U);
    EXPECT_GT(allQueued, 100U);
}

TEST(OpticalCircuitSwitchMemory, AHundredThousandChangesLeaveMemoryAndWorkFlat)
{
    constexpr uint32_t changes = 100'000;
    constexpr uint32_t block = 20'000;
    auto ocs = CreateObject<OpticalCircuitSwitch>();
    ocs->SetAttribute("ReconfigurationDelay", TimeValue(MicroSeconds(1)));
    std::vector<Ptr<OpticalNetDevice>> devices;
    uint64_t delivered = 0;
    for (uint32_t port = 0; port < 4; port++)
    {
        auto device = CreateObject<OpticalNetDevice>();
        auto fibre = CreateObject<OpticalChannel>();
        CreateObject<Node>()->AddDevice(device);
        device->SetReceiveCallback(NetDevice::ReceiveCallback(
            [&delivered](Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&) {
                delivered++;
                return true;
            }));
        device->Attach(fibre);
        ocs->Attach(port, fibre);
        devices.push_back(device);
    }
    std::vector<std::size_t> memory; // bytes in use, at the end of each block
    std::vector<uint64_t> events;    // so far
    memory.reserve(changes / block);
    events.reserve(changes / block);
    uint32_t done = 0;
    std::function<void()> next = [&]() {
        const std::vector<Circuit> circuits =
            done % 2 ? std::vector<Circuit>{{0, 2}, {1, 3}} : std::vector<Circuit>{{0, 1}, {2, 3}};
        ocs->Reconfigure(circuits, [&](const OpticalCircuitSwitch::Outcome&) {
            devices[done % 4]->Send(Create<Packet>(100), Mac48Address::GetBroadcast(), PROTOCOL);
            if (++done % block == 0)
            {
                memory.push_back(mallinfo2().uordblks);
                events.push_back(Simulator::GetEventCount());
            }
            if (done < changes)
            {
                Simulator::Schedule(NanoSeconds(500), next);
            }
        });
    };
    next();
    Simulator::Run();
    EXPECT_EQ(done, changes);
    EXPECT_EQ(delivered, changes);
    ASSERT_EQ(memory.size(), changes / block);
    // Less than a quarter of a byte per change. The sanitizers' allocator reports 0 here; they look
    // for leaks themselves.
    EXPECT_LT(memory.back(), memory.front() + 20'000);
    for (std::size_t i = 2; i < events.size(); i++)
    {
        EXPECT_EQ(events[i] - events[i - 1], events[1] - events[0]);
    }
    Simulator::Destroy();
}

} // namespace photonic
} // namespace ns3

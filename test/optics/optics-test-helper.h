/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTICS_TEST_HELPER_H
#define PHOTONIC_OPTICS_TEST_HELPER_H

#include "ns3/data-rate.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/optical-channel.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/optical-net-device.h"
#include "ns3/packet-source.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

__extension__ typedef __int128 Int128;

/// IEEE 802.3: addresses and type in the frame; preamble, check sequence and gap beside it.
constexpr uint64_t FRAME_HEADER = 6 + 6 + 2;
constexpr uint64_t LINE_OVERHEAD = 8 + 4 + 12;

/// A packet of this payload occupies 1,000 bytes of line, which take 100 ns at 80 Gbps: a whole
/// number of ticks, so that an instant can be hit, and missed by one tick.
constexpr uint32_t PAYLOAD = 1000 - FRAME_HEADER - LINE_OVERHEAD;
constexpr uint64_t ROUND_RATE = 80'000'000'000;

constexpr uint16_t PROTOCOL = 0x88b5; ///< IEEE 802 local experimental

constexpr uint64_t
WireBytes(uint64_t payload)
{
    return payload + FRAME_HEADER + LINE_OVERHEAD;
}

inline Time
PacketTime()
{
    return NanoSeconds(100);
}

inline int64_t
TicksPerSecond()
{
    return Seconds(1).GetTimeStep();
}

/// @return the first tick at which so many bytes have passed a line
inline Time
LineTime(uint64_t bytes, uint64_t bitRate)
{
    const Int128 ticks = (Int128(bytes) * 8 * TicksPerSecond() + bitRate - 1) / bitRate;
    return TimeStep(static_cast<int64_t>(ticks));
}

/// @return the message of the exception that an action throws; empty if it throws none
template <typename E, typename F>
std::string
GetRefusal(F&& action)
{
    try
    {
        action();
    }
    catch (const E& e)
    {
        return e.what();
    }
    return "";
}

/// A packet that reached software.
struct Reception
{
    Time at;
    uint32_t device;
    uint32_t bytes;
    uint64_t uid;
};

/// A packet source that has the payloads it is given, and notes when each starts.
class ListSource : public PacketSource
{
  public:
    explicit ListSource(Ptr<OpticalNetDevice> device)
        : m_device(device)
    {
        device->SetPacketSource(this);
    }

    ~ListSource() override
    {
        m_device->SetPacketSource(nullptr);
    }

    /// Post packets; a group address reaches whoever is there.
    void Post(uint32_t payload,
              uint32_t count = 1,
              Address destination = Mac48Address::GetBroadcast())
    {
        m_device->Advance();
        const bool hadPacket = HasPacket();
        m_payloads.insert(m_payloads.end(), count, {payload, destination});
        if (!hadPacket)
        {
            m_device->NotifySource();
        }
    }

    bool HasPacket() const override
    {
        return !m_payloads.empty();
    }

    void SendNext(const ExactTime& start) override
    {
        auto [payload, destination] = m_payloads.front();
        m_payloads.pop_front();
        auto packet = Create<Packet>(payload);
        starts.push_back(start);
        uids.push_back(packet->GetUid());
        frames.push_back(payload + FRAME_HEADER);
        accepted.push_back(m_device->Send(packet, destination, PROTOCOL));
    }

    /// @return how many have not been fetched
    std::size_t GetNPackets() const
    {
        return m_payloads.size();
    }

    std::vector<ExactTime> starts;
    std::vector<uint64_t> uids;
    std::vector<uint32_t> frames; ///< bytes with header
    std::vector<bool> accepted;

  private:
    Ptr<OpticalNetDevice> m_device;
    std::deque<std::pair<uint32_t, Address>> m_payloads;
};

/// Devices, what they receive and when their links change.
class OpticsTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        Simulator::Destroy();
    }

    /// Leave nothing of what was built, so that a test can build something else.
    virtual void StartOver()
    {
        Simulator::Destroy();
        devices.clear();
        received.clear();
        linkChanges.clear();
    }

    /// @return number of the new device, which has a node of its own
    uint32_t AddDevice(uint64_t bitRate = ROUND_RATE)
    {
        const uint32_t index = devices.size();
        auto device = CreateObject<OpticalNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        device->SetDataRate(DataRate(bitRate));
        auto node = CreateObject<Node>();
        node->AddDevice(device);
        device->SetReceiveCallback(NetDevice::ReceiveCallback(
            [this, index](Ptr<NetDevice>, Ptr<const Packet> p, uint16_t, const Address&) {
                received.push_back({Simulator::Now(), index, p->GetSize(), p->GetUid()});
                return true;
            }));
        device->AddLinkChangeCallback(Callback<void>([this, index]() {
            linkChanges[index].emplace_back(Simulator::Now(), devices[index]->IsLinkUp());
        }));
        devices.push_back(device);
        return index;
    }

    /// @return a fibre with a delay
    static Ptr<OpticalChannel> CreateFibre(Time delay)
    {
        auto fibre = CreateObject<OpticalChannel>();
        fibre->SetAttribute("Delay", TimeValue(delay));
        return fibre;
    }

    /// Join two devices directly.
    void Join(uint32_t a, uint32_t b, Time delay)
    {
        auto fibre = CreateFibre(delay);
        devices[a]->Attach(fibre);
        devices[b]->Attach(fibre);
    }

    /// Send from a device, to whoever is there by default.
    bool Send(uint32_t from, uint32_t payload = PAYLOAD, Address to = Mac48Address::GetBroadcast())
    {
        return devices[from]->Send(Create<Packet>(payload), to, PROTOCOL);
    }

    void SendAt(Time at, uint32_t from, uint32_t payload = PAYLOAD)
    {
        At(at, [this, from, payload]() { Send(from, payload); });
    }

    /// @param at absolute time @param action done then
    static void At(Time at, std::function<void()> action)
    {
        Simulator::Schedule(at - Simulator::Now(), std::move(action));
    }

    /// @return when packets arrived at a device
    std::vector<Time> ArrivalsAt(uint32_t device) const
    {
        std::vector<Time> times;
        for (const auto& r : received)
        {
            if (r.device == device)
            {
                times.push_back(r.at);
            }
        }
        return times;
    }

    /// @return the number of drops at a device for a reason
    uint64_t Drops(uint32_t device, const std::string& reason) const
    {
        const auto& drops = devices[device]->GetDrops();
        auto entry = drops.find(reason);
        return entry == drops.end() ? 0 : entry->second;
    }

    using LinkChanges = std::vector<std::pair<Time, bool>>;

    std::vector<Ptr<OpticalNetDevice>> devices;
    std::vector<Reception> received;
    std::map<uint32_t, LinkChanges> linkChanges;
};

/// Devices on the ports of a circuit switch, device i on port i.
class CircuitTest : public OpticsTest
{
  protected:
    CircuitTest()
    {
        CreateSwitch();
    }

    void StartOver() override
    {
        OpticsTest::StartOver();
        lost.clear();
        outcomes.clear();
        CreateSwitch();
    }

    void CreateSwitch()
    {
        ocs = CreateObject<OpticalCircuitSwitch>();
        ocs->TraceConnectWithoutContext(
            "Drop",
            Callback<void, Ptr<const Packet>, const std::string&>(
                [this](Ptr<const Packet>, const std::string& reason) { lost[reason]++; }));
        ocs->TraceConnectWithoutContext(
            "Reconfiguration",
            Callback<void, const OpticalCircuitSwitch::Outcome&, bool>(
                [this](const OpticalCircuitSwitch::Outcome& outcome, bool queued) {
                    outcomes.emplace_back(outcome, queued);
                }));
    }

    void AddPorts(const std::vector<Time>& fibres, uint64_t bitRate = ROUND_RATE)
    {
        for (Time delay : fibres)
        {
            const uint32_t port = AddDevice(bitRate);
            auto fibre = CreateFibre(delay);
            devices[port]->Attach(fibre);
            ocs->Attach(port, fibre);
        }
    }

    void SetDelay(Time delay)
    {
        ocs->SetAttribute("ReconfigurationDelay", TimeValue(delay));
    }

    void SetPolicy(const std::string& policy)
    {
        ocs->SetAttribute("InFlightPolicy", StringValue(policy));
    }

    void ReconfigureAt(Time at, std::vector<Circuit> circuits)
    {
        At(at, [this, circuits = std::move(circuits)]() { ocs->Reconfigure(circuits); });
    }

    Ptr<OpticalCircuitSwitch> ocs;
    std::map<std::string, uint64_t> lost;
    std::vector<std::pair<OpticalCircuitSwitch::Outcome, bool>> outcomes;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTICS_TEST_HELPER_H

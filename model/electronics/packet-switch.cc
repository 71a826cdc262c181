/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "packet-switch.h"

#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("PacketSwitch");
NS_OBJECT_ENSURE_REGISTERED(PacketSwitch);

/**
 * One port: an ingress that hands packets on, and an egress with its queue and line clock.
 */
class PacketSwitch::Port : public FibreEnd
{
  public:
    Port(PacketSwitch& parent, uint32_t number, DataRate rate)
        : m_switch(parent),
          m_number(number)
    {
        m_line.SetRate(LineRate(rate));
    }

    /// @param frame whose first bit arrives at the switch at @p head through @p ingress
    void Enqueue(const Frame& frame, const ExactTime& head, uint32_t ingress)
    {
        const ExactTime now(Simulator::Now());
        AdvanceTo(now);
        if (frame.train)
        {
            // Packets of two trains would come out one after the other.
            if (m_lastIngress != ingress && (!m_queue.IsEmpty() || head < m_lastPacketStart))
            {
                frame.train->Contended("output " + std::to_string(m_number) +
                                       " of a packet switch");
            }
            m_lastIngress = ingress;
            m_lastPacketStart =
                frame.train->GetLastStart(std::max(head, m_line.GetFree()), m_line.GetRate());
        }
        m_queue.Push(frame);
        m_queue.Back().start = head;
        // Two heads in one tick may come in the other order; the exact times decide.
        for (auto i = m_queue.GetSize() - 1; i > 0 && head < m_queue[i - 1].start; i--)
        {
            std::swap(m_queue[i], m_queue[i - 1]);
        }
        AdvanceTo(now);
        m_longest = std::max(m_longest, m_queue.GetSize());
    }

    void SetBlocked(bool blocked)
    {
        Advance();
        m_blocked = blocked;
        m_unblockedAt = Simulator::Now();
        Advance();
    }

    std::size_t GetQueueLength()
    {
        Advance();
        return m_queue.GetSize();
    }

    std::size_t GetLongestQueue() const
    {
        return m_longest;
    }

    // inherited from FibreEnd
    void Advance() override
    {
        if (!m_queue.IsEmpty())
        {
            AdvanceTo(ExactTime(Simulator::Now()));
        }
    }

    bool GetNextStart(const LightPath&, ExactTime& start) const override
    {
        if (!m_path || m_blocked || m_queue.IsEmpty())
        {
            return false;
        }
        start = NextStart();
        return true;
    }

    bool IsCutThrough() const override
    {
        return true;
    }

    void Arrive(Frame& frame, Time) override
    {
        m_switch.Forward(frame, m_number);
    }

    void Lost(Frame&, const char*) override
    {
        // A fibre between a device and a switch is never cut.
    }

    void LightUp(Ptr<LightPath> path) override
    {
        m_path = path;
    }

    void LightDown() override
    {
        m_path = nullptr;
    }

    ExactTime FinishPacket() override
    {
        m_blocked = true;
        return std::max(m_line.GetFree(), ExactTime(Simulator::Now()));
    }

    void ReceiverLit(bool) override
    {
    }

    uint32_t GetContext() const override
    {
        return Simulator::NO_CONTEXT;
    }

    Ptr<NetDevice> GetDevice() const override
    {
        return nullptr;
    }

    /// @return propagation of the port's fibre
    Time GetPropagation() const
    {
        return m_path->GetPropagation();
    }

  private:
    void AdvanceTo(const ExactTime& now)
    {
        while (m_path && !m_blocked && !m_queue.IsEmpty())
        {
            const ExactTime start = NextStart();
            if (start > now)
            {
                break;
            }
            Frame frame = m_queue.Pop();
            frame.start = start;
            frame.end = m_line.Transmit(start, frame.wireBytes);
            m_switch.m_forwarded++;
            m_path->Transmit(frame);
        }
    }

    ExactTime NextStart() const
    {
        return std::max({m_queue.Front().start, m_line.GetFree(), ExactTime(m_unblockedAt)});
    }

    PacketSwitch& m_switch;
    uint32_t m_number;
    LineClock m_line;
    Ptr<LightPath> m_path;
    FrameQueue m_queue; ///< in order of arrival; start is when the first bit arrived here
    bool m_blocked{false};
    Time m_unblockedAt;
    std::size_t m_longest{0};
    uint32_t m_lastIngress{0};   ///< of the last train
    ExactTime m_lastPacketStart; ///< of the last train
};

TypeId
PacketSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::PacketSwitch")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<PacketSwitch>()
            .AddTraceSource("Enqueue",
                            "The first bit of a packet arrived for an output.",
                            MakeTraceSourceAccessor(&PacketSwitch::m_enqueueTrace),
                            "ns3::photonic::PacketSwitch::EnqueueTracedCallback")
            .AddTraceSource("Drop",
                            "A packet was dropped, with the reason.",
                            MakeTraceSourceAccessor(&PacketSwitch::m_dropTrace),
                            "ns3::photonic::OpticalCircuitSwitch::DropTracedCallback");
    return tid;
}

PacketSwitch::PacketSwitch()
{
    NS_LOG_FUNCTION(this);
}

PacketSwitch::~PacketSwitch()
{
    NS_LOG_FUNCTION(this);
}

void
PacketSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_ports.clear();
    m_forwarding.clear();
    Object::DoDispose();
}

uint32_t
PacketSwitch::Attach(Ptr<OpticalChannel> fibre, DataRate rate)
{
    NS_LOG_FUNCTION(this << fibre << rate);
    if (fibre->GetNDevices() != 1)
    {
        throw std::logic_error("a packet switch takes the free end of a device's fibre");
    }
    const uint32_t number = m_ports.size();
    auto port = std::make_unique<Port>(*this, number, rate);
    fibre->Attach(*port, this);
    m_ports.push_back(std::move(port));
    return number;
}

void
PacketSwitch::SetForwarding(Mac48Address address, uint32_t port)
{
    if (port >= m_ports.size())
    {
        throw std::invalid_argument("port " + std::to_string(port) +
                                    " is out of range: the packet switch has " +
                                    std::to_string(m_ports.size()) + " ports");
    }
    m_forwarding[ToInteger(address)] = port;
}

void
PacketSwitch::SetBlocked(uint32_t port, bool blocked)
{
    m_ports.at(port)->SetBlocked(blocked);
}

std::size_t
PacketSwitch::GetQueueLength(uint32_t port) const
{
    return m_ports.at(port)->GetQueueLength();
}

std::size_t
PacketSwitch::GetLongestQueue(uint32_t port) const
{
    return m_ports.at(port)->GetLongestQueue();
}

uint32_t
PacketSwitch::GetNPorts() const
{
    return m_ports.size();
}

uint64_t
PacketSwitch::GetForwarded() const
{
    return m_forwarded;
}

void
PacketSwitch::Forward(Frame& frame, uint32_t ingress)
{
    const ExactTime head = frame.start + m_ports[ingress]->GetPropagation();
    if (frame.destination & GROUP_ADDRESS_BIT)
    {
        for (uint32_t egress = 0; egress < m_ports.size(); egress++)
        {
            if (egress != ingress)
            {
                Frame copy = frame;
                copy.packet = frame.GetPacket()->Copy();
                m_enqueueTrace(copy.packet, egress);
                m_ports[egress]->Enqueue(copy, head, ingress);
            }
        }
        return;
    }
    auto entry = m_forwarding.find(frame.destination);
    if (entry == m_forwarding.end())
    {
        if (!frame.train && !m_dropTrace.IsEmpty())
        {
            m_dropTrace(frame.GetPacket(), "unknown destination");
        }
        return;
    }
    if (!frame.train && !m_enqueueTrace.IsEmpty())
    {
        m_enqueueTrace(frame.GetPacket(), entry->second);
    }
    m_ports[entry->second]->Enqueue(frame, head, ingress);
}

} // namespace photonic
} // namespace ns3

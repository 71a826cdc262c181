/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "shared-buffer-switch.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/log.h"
#include "ns3/optical-net-device.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("SharedBufferSwitch");
NS_OBJECT_ENSURE_REGISTERED(SharedBufferSwitch);

TypeId
SharedBufferSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::SharedBufferSwitch")
            .SetParent<PacketSwitch>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<SharedBufferSwitch>()
            .AddAttribute("Latency",
                          "Of a packet through the switch, without waiting for its output.",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&SharedBufferSwitch::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CutThrough",
                          "Whether a packet may leave before its last bit has come, where both "
                          "lines have one rate and the output is idle.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&SharedBufferSwitch::m_cutThrough),
                          MakeBooleanChecker())
            .AddAttribute("BufferPerPort",
                          "Bytes of the shared buffer, for each port that the switch has.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&SharedBufferSwitch::m_bytesPerPort),
                          MakeUintegerChecker<uint64_t>(1, uint64_t(1) << 40))
            .AddAttribute("Minimum",
                          "Bytes that each priority of a port has to itself.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&SharedBufferSwitch::m_minimum),
                          MakeUintegerChecker<uint64_t>(0, uint64_t(1) << 32))
            .AddAttribute("Alpha",
                          "Of the dynamic threshold: times what is free of the shared pool.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&SharedBufferSwitch::m_alpha),
                          MakeDoubleChecker<double>(1.0 / 1024, 1024))
            .AddAttribute("ResumeOffset",
                          "Bytes below the threshold at which a pause ends.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&SharedBufferSwitch::m_resumeOffset),
                          MakeUintegerChecker<uint64_t>(0, uint64_t(1) << 32))
            .AddAttribute("LosslessPriorities",
                          "A bit for each priority for which pauses are sent.",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&SharedBufferSwitch::m_lossless),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("Headroom",
                          "Bytes of each lossless priority of a port for what comes after a pause "
                          "was asked for; -1: as the line, its cable and the MTU need.",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&SharedBufferSwitch::m_headroom),
                          MakeIntegerChecker<int64_t>(-1, int64_t(1) << 32))
            .AddAttribute("Mtu",
                          "The largest IP packet that headroom is for, in bytes.",
                          UintegerValue(9216),
                          MakeUintegerAccessor(&SharedBufferSwitch::m_mtu),
                          MakeUintegerChecker<uint32_t>(68, 65535))
            .AddAttribute("PauseResponse",
                          "Quanta that a peer may take to react to a pause, for the headroom "
                          "(IEEE 802.3, 31B.3.7: 60 at 10 Gbps).",
                          UintegerValue(60),
                          MakeUintegerAccessor(&SharedBufferSwitch::m_response),
                          MakeUintegerChecker<uint64_t>(0, 0xffff))
            .AddAttribute("PauseQuanta",
                          "Time that a pause frame asks for; it is asked for again after half of "
                          "it.",
                          UintegerValue(PauseHeader::LONGEST),
                          MakeUintegerAccessor(&SharedBufferSwitch::m_quanta),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("StrictPriorities",
                          "A bit for each priority that is served before those that share.",
                          UintegerValue(0xc0),
                          MakeUintegerAccessor(&SharedBufferSwitch::m_strict),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("Quantum",
                          "Line bytes that a priority of weight 1 may send in a round.",
                          UintegerValue(9254),
                          MakeUintegerAccessor(&SharedBufferSwitch::m_quantum),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Weights",
                          "Of priorities 0 to 7, where they share an output.",
                          StringValue("1,1,1,1,1,1,1,1"),
                          MakeStringAccessor(&SharedBufferSwitch::SetWeights,
                                             &SharedBufferSwitch::GetWeights),
                          MakeStringChecker())
            .AddAttribute("EcnKmin",
                          "Bytes of a queue up to which nothing is marked.",
                          UintegerValue(5000),
                          MakeUintegerAccessor(&SharedBufferSwitch::m_ecnLow),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EcnKmax",
                          "Bytes of a queue above which everything is marked; equal to EcnKmin it "
                          "makes a step.",
                          UintegerValue(200000),
                          MakeUintegerAccessor(&SharedBufferSwitch::m_ecnHigh),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EcnPmax",
                          "Probability of a mark at EcnKmax.",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&SharedBufferSwitch::m_ecnGreatest),
                          MakeDoubleChecker<double>(0, 1))
            .AddTraceSource("PauseSent",
                            "A pause frame was made: port, priority, quanta.",
                            MakeTraceSourceAccessor(&SharedBufferSwitch::m_pauseTrace),
                            "ns3::photonic::SharedBufferSwitch::PauseTracedCallback");
    return tid;
}

SharedBufferSwitch::SharedBufferSwitch()
{
    NS_LOG_FUNCTION(this);
}

SharedBufferSwitch::~SharedBufferSwitch()
{
    NS_LOG_FUNCTION(this);
}

void
SharedBufferSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (auto& pausing : m_pausing)
    {
        pausing.refresh.Cancel();
    }
    m_pausing.clear();
    PacketSwitch::DoDispose();
}

std::unique_ptr<SwitchPort>
SharedBufferSwitch::MakePort(uint32_t number, DataRate rate)
{
    if (m_ecnLow > m_ecnHigh)
    {
        throw std::invalid_argument("EcnKmin is " + std::to_string(m_ecnLow) +
                                    " bytes, above EcnKmax of " + std::to_string(m_ecnHigh));
    }
    return std::make_unique<BufferedPort>(*this,
                                          number,
                                          rate,
                                          EgressScheduler::Settings{m_strict, m_quantum, m_weights},
                                          EcnMarker::Settings{m_ecnLow, m_ecnHigh, m_ecnGreatest});
}

void
SharedBufferSwitch::PortAdded(uint32_t port, Time propagation)
{
    if (!m_buffer)
    {
        m_buffer = std::make_unique<SwitchBuffer>(
            SwitchBuffer::Settings{m_bytesPerPort, m_minimum, m_alpha, m_resumeOffset, m_lossless});
    }
    const uint64_t frame = m_mtu + OpticalNetDevice::GetFrameOverhead();
    m_buffer->AddPort(
        m_headroom >= 0
            ? m_headroom
            : SwitchBuffer::GetHeadroom(m_ports[port]->GetRate(), propagation, frame, m_response));
}

void
SharedBufferSwitch::SetWeights(std::string weights)
{
    std::istringstream text(weights);
    std::array<uint32_t, PRIORITIES> values{};
    char comma = ',';
    for (auto& value : values)
    {
        if (comma != ',' || !(text >> value) || value == 0)
        {
            throw std::invalid_argument(
                "weights '" + weights +
                "' were given: 8 numbers above 0 are needed, as 1,1,1,1,1,1,1,1");
        }
        comma = 0;
        text >> comma;
    }
    if (comma != 0)
    {
        throw std::invalid_argument("weights '" + weights + "' are more than 8");
    }
    m_weights = values;
}

std::string
SharedBufferSwitch::GetWeights() const
{
    std::string text;
    for (uint32_t weight : m_weights)
    {
        text += (text.empty() ? "" : ",") + std::to_string(weight);
    }
    return text;
}

bool
SharedBufferSwitch::CanCutThrough(uint32_t ingress, uint32_t egress) const
{
    return m_cutThrough &&
           m_ports[ingress]->GetRate().GetBitRate() == m_ports[egress]->GetRate().GetBitRate();
}

BufferedPort&
SharedBufferSwitch::GetBuffered(uint32_t port) const
{
    return static_cast<BufferedPort&>(*m_ports.at(port)); // MakePort() makes no others
}

const SwitchBuffer*
SharedBufferSwitch::GetBuffer()
{
    AdvanceAll();
    return m_buffer.get();
}

uint64_t
SharedBufferSwitch::GetQueueBytes(uint32_t port, uint8_t priority) const
{
    return GetBuffered(port).GetQueueBytes(priority);
}

Time
SharedBufferSwitch::GetPausedTime(uint32_t port, uint8_t priority) const
{
    return GetBuffered(port).GetPausedTime(priority);
}

uint64_t
SharedBufferSwitch::GetPausesSent() const
{
    return m_pausesSent;
}

int64_t
SharedBufferSwitch::AssignStreams(int64_t stream)
{
    // One for each port, so that marks do not depend on the order in which ports are looked at.
    int64_t next = stream + PacketSwitch::AssignStreams(stream);
    for (uint32_t port = 0; port < m_ports.size(); port++)
    {
        GetBuffered(port).SetStream(next++);
    }
    return next - stream;
}

void
SharedBufferSwitch::AdvanceAll()
{
    for (const auto& port : m_ports)
    {
        port->Advance();
    }
}

uint32_t
SharedBufferSwitch::GetAccount(const Frame& frame, uint32_t egress) const
{
    const uint8_t priority = frame.label.priority;
    return SwitchBuffer::GetAccount(m_buffer->IsLossless(priority) ? frame.label.ingress : egress,
                                    priority);
}

void
SharedBufferSwitch::Pass(Frame& frame, uint32_t ingress, uint32_t egress)
{
    if (frame.train)
    {
        frame.train->Contended("a packet switch with a finite buffer");
        Drop(frame, "train of packets");
        return;
    }
    frame.label.ingress = ingress;
    const uint32_t account = GetAccount(frame, egress);
    bool fits = m_buffer->Fits(account, frame.wireBytes);
    if (!fits)
    {
        // Ports that have not been looked at hold less than was known: ask again.
        AdvanceAll();
        fits = m_buffer->Fits(account, frame.wireBytes);
    }
    const bool lossless = m_buffer->IsLossless(frame.label.priority);
    const bool admitted = m_buffer->Admit(account, frame.wireBytes);
    if (!fits && lossless && !m_buffer->CanResume(account))
    {
        Pause(account); // before the packet can leave again, which might end the pause
    }
    if (admitted)
    {
        m_forwarded++;
        m_ports[egress]->Enqueue(frame, ingress);
    }
    else
    {
        Drop(frame, lossless ? "no headroom" : "above the buffer threshold");
    }
}

void
SharedBufferSwitch::Release(const Frame& frame, uint32_t egress)
{
    m_buffer->Release(GetAccount(frame, egress), frame.wireBytes);
    if (!m_pausing.empty())
    {
        ResumeWhereItCan();
    }
}

void
SharedBufferSwitch::Pause(uint32_t account)
{
    for (const auto& pausing : m_pausing)
    {
        if (pausing.account == account)
        {
            return;
        }
    }
    m_pausing.push_back({account, EventId()});
    Refresh(account);
    if (m_pausing.size() == 1)
    {
        AdvanceAll(); // from now on every start is an event
    }
}

void
SharedBufferSwitch::Refresh(uint32_t account)
{
    const auto& rate = m_ports[account / PRIORITIES]->GetRate();
    const uint64_t bytes = uint64_t(m_quanta) * PauseHeader::QUANTUM_BYTES / 2;
    for (auto& pausing : m_pausing)
    {
        if (pausing.account == account)
        {
            pausing.refresh = Simulator::Schedule(rate.Serialise(bytes).ToTime(),
                                                  &SharedBufferSwitch::Refresh,
                                                  this,
                                                  account);
        }
    }
    SendPause(account, m_quanta);
}

void
SharedBufferSwitch::ResumeWhereItCan()
{
    std::vector<uint32_t> resumed;
    for (auto& pausing : m_pausing)
    {
        if (m_buffer->CanResume(pausing.account))
        {
            pausing.refresh.Remove();
            resumed.push_back(pausing.account);
        }
    }
    m_pausing.erase(std::remove_if(m_pausing.begin(),
                                   m_pausing.end(),
                                   [&resumed](const Pausing& p) {
                                       return std::count(resumed.begin(), resumed.end(), p.account);
                                   }),
                    m_pausing.end());
    for (uint32_t account : resumed)
    {
        SendPause(account, 0);
    }
}

void
SharedBufferSwitch::SendPause(uint32_t account, uint16_t quanta)
{
    const uint32_t port = account / PRIORITIES;
    const uint8_t priority = account % PRIORITIES;
    m_pausesSent += quanta > 0;
    m_pauseTrace(port, priority, quanta);
    GetBuffered(port).SendPause(priority, quanta);
}

} // namespace photonic
} // namespace ns3

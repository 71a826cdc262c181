/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "control-faults.h"

#include "ns3/double.h"
#include "ns3/pointer.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

NS_OBJECT_ENSURE_REGISTERED(ControlFaults);
NS_OBJECT_ENSURE_REGISTERED(RandomControlFaults);

TypeId
ControlFaults::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::ControlFaults").SetParent<Object>().SetGroupName("PhotonicRails");
    return tid;
}

TypeId
RandomControlFaults::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::RandomControlFaults")
            .SetParent<ControlFaults>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<RandomControlFaults>()
            .AddAttribute("Loss",
                          "Probability that a message is lost.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RandomControlFaults::m_loss),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Duplication",
                          "Probability that a message that is not lost is sent twice.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RandomControlFaults::m_duplication),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Delay",
                          "By how many seconds each copy of a message is late, not below 0; "
                          "messages overtake each other if this varies. Null: none is.",
                          PointerValue(),
                          MakePointerAccessor(&RandomControlFaults::m_delay),
                          MakePointerChecker<RandomVariableStream>());
    return tid;
}

RandomControlFaults::RandomControlFaults()
    : m_chance(CreateObject<UniformRandomVariable>())
{
}

std::vector<Time>
RandomControlFaults::GetDelays(const OpusMessage& /* message */)
{
    std::vector<Time> delays;
    if (m_loss > 0 && m_chance->GetValue() < m_loss)
    {
        return delays;
    }
    delays.resize(m_duplication > 0 && m_chance->GetValue() < m_duplication ? 2 : 1);
    for (auto& delay : delays)
    {
        delay = m_delay ? Seconds(std::max(0.0, m_delay->GetValue())) : Time();
    }
    return delays;
}

int64_t
RandomControlFaults::AssignStreams(int64_t stream)
{
    m_chance->SetStream(stream);
    if (m_delay)
    {
        m_delay->SetStream(stream + 1);
    }
    return 2;
}

} // namespace photonic
} // namespace ns3

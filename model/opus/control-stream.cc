/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "control-stream.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

namespace
{

/// Tries after which the time until the next one doubles no more.
constexpr uint32_t DOUBLINGS = 6;

} // namespace

ControlStream::ControlStream(Settings settings)
    : m_settings(std::move(settings))
{
}

ControlStream::~ControlStream()
{
    m_timer.Cancel();
}

void
ControlStream::Send(const OpusMessage& message, const Cause& cause)
{
    OpusMessage numbered = message;
    numbered.session = m_sendSession;
    numbered.sequence = m_nextSequence++;
    m_unacknowledged.emplace_back(numbered, cause);
    if (m_unacknowledged.size() == 1)
    {
        m_tries = 0;
        m_oldest = Simulator::Now();
        Arm();
    }
    m_settings.transmit(numbered, cause);
}

void
ControlStream::Arm()
{
    m_timer.Cancel();
    const uint64_t times = uint64_t(1) << std::min(m_tries, DOUBLINGS);
    m_timer = Simulator::Schedule(times * m_settings.timeout, &ControlStream::Repeat, this);
}

void
ControlStream::Repeat()
{
    if (m_tries == m_settings.retries)
    {
        const OpusMessage first = m_unacknowledged.front().first;
        m_unacknowledged.clear();
        m_settings.giveUp(first, m_oldest);
        return;
    }
    m_tries++;
    Arm();
    const std::vector<Sent> again(m_unacknowledged.begin(), m_unacknowledged.end());
    m_repetitions += again.size();
    for (const auto& [message, cause] : again)
    {
        m_settings.transmit(message, cause);
    }
}

void
ControlStream::HandleAck(uint32_t session, uint32_t next)
{
    if (session != m_sendSession)
    {
        return;
    }
    const std::size_t before = m_unacknowledged.size();
    while (!m_unacknowledged.empty() && m_unacknowledged.front().first.sequence < next)
    {
        m_unacknowledged.pop_front();
    }
    if (m_unacknowledged.empty())
    {
        m_timer.Cancel();
    }
    else if (m_unacknowledged.size() < before)
    {
        m_tries = 0;
        m_oldest = Simulator::Now();
        Arm();
    }
}

void
ControlStream::StartSending(uint32_t session)
{
    if (session <= m_sendSession)
    {
        return;
    }
    Stop();
    m_sendSession = session;
    m_nextSequence = 1;
}

void
ControlStream::Stop()
{
    m_timer.Cancel();
    m_unacknowledged.clear();
}

void
ControlStream::StartReceiving(uint32_t session)
{
    m_session = session;
    m_expected = 1;
    m_early.clear();
}

std::vector<ControlStream::Sent>
ControlStream::Receive(const OpusMessage& message, const Cause& cause)
{
    if (message.session > m_session)
    {
        StartReceiving(message.session);
    }
    std::vector<Sent> due;
    if (message.session < m_session || message.sequence < m_expected)
    {
        return due;
    }
    m_early.emplace(message.sequence, Sent(message, cause));
    for (auto it = m_early.begin(); it != m_early.end() && it->first == m_expected;)
    {
        due.push_back(std::move(it->second));
        it = m_early.erase(it);
        m_expected++;
    }
    return due;
}

OpusMessage
ControlStream::GetAck(uint32_t rank) const
{
    OpusMessage ack;
    ack.type = OpusMessage::ACK;
    ack.rank = rank;
    ack.session = m_session;
    ack.sequence = m_expected;
    return ack;
}

std::size_t
ControlStream::GetUnacknowledged() const
{
    return m_unacknowledged.size();
}

uint64_t
ControlStream::GetRepetitions() const
{
    return m_repetitions;
}

} // namespace photonic
} // namespace ns3

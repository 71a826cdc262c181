/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * What an OpusShim hears from the controller, and what it tells it.
 */
#include "opus-shim.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("OpusShimMessages");

void
OpusShim::Receive(const OpusMessage& message, const Cause& cause)
{
    NS_LOG_FUNCTION(this << m_rank << ToString(message.type) << ToString(message.key));
    if (!m_path)
    {
        return; // disposed of while a message was on its way
    }
    switch (message.type)
    {
    case OpusMessage::REGISTERED:
        return HandleRegistered(message, cause);
    case OpusMessage::GRANTED:
        return HandleGranted(message, cause);
    case OpusMessage::WITHDRAWN:
        m_requesting = false;
        m_withdrawing = false;
        return Advance(cause);
    case OpusMessage::RECALL:
        return HandleRecall(message, cause);
    case OpusMessage::RECALLED:
        m_recalling.erase(std::remove(m_recalling.begin(), m_recalling.end(), message.key),
                          m_recalling.end());
        return Advance(cause);
    case OpusMessage::UNION:
        return HandleUnion(message, cause);
    case OpusMessage::READY:
        return HandleReady(cause);
    case OpusMessage::HELLO:
        return HandleHello(cause);
    case OpusMessage::PROBE:
        return HandleProbe(cause);
    case OpusMessage::REGISTER:
    case OpusMessage::REQUEST:
    case OpusMessage::WITHDRAW:
    case OpusMessage::PROFILE:
    case OpusMessage::ACK:
    case OpusMessage::HELD:
    case OpusMessage::SYNCED:
    case OpusMessage::WAITING:
        Fail(std::string("got a message for the controller: ") + ToString(message.type));
    }
}

void
OpusShim::HandleRegistered(const OpusMessage& message, const Cause& cause)
{
    // A controller that has restarted answers again.
    m_phases.Find(message.key.group)->scaleUp = message.flag;
    if (m_unregistered.erase(message.key.group) > 0 && m_unregistered.empty())
    {
        const Pass ready = std::move(m_registered);
        ready(cause);
    }
}

void
OpusShim::HandleGranted(const OpusMessage& message, const Cause& cause)
{
    if (!m_requesting || m_request != message.key)
    {
        Fail("was granted " + ToString(message.key) + ", which it did not request");
        return;
    }
    m_requesting = false;
    m_withdrawing = false;
    m_grantedAt = Simulator::Now();
    m_lastRequestAt = message.time;
    m_phases.Grant(message.key);
    Advance(cause);
}

void
OpusShim::HandleRecall(const OpusMessage& message, const Cause& cause)
{
    OpusMessage answer = message;
    answer.type = OpusMessage::RECALLED;
    answer.flag = m_phases.Recall(message.key);
    m_path->SendToController(answer, cause);
    Advance(cause);
}

void
OpusShim::HandleHello(const Cause& cause)
{
    for (const auto& registration : m_registrations)
    {
        m_path->SendToController(registration, cause);
    }
    for (const auto& key : m_phases.FindHeld())
    {
        Send(OpusMessage::HELD, key, cause);
    }
    Send(OpusMessage::SYNCED, {0, 0, 0}, cause);
    if (m_uploaded)
    {
        Upload(cause);
    }
    for (const auto& key : m_recalling)
    {
        Send(OpusMessage::RECALL, key, cause);
    }
    if (m_requesting)
    {
        SendRequest(cause);
    }
    if (m_withdrawing)
    {
        Send(OpusMessage::WITHDRAW, m_request, cause);
    }
}

void
OpusShim::HandleProbe(const Cause& cause)
{
    if (m_requesting && !m_guessing && !m_withdrawing)
    {
        Send(OpusMessage::WAITING, m_request, cause);
    }
}

void
OpusShim::Upload(const Cause& cause)
{
    m_uploaded = true;
    std::vector<OpusMessage::Opening> openings;
    for (const auto& entry : m_profile)
    {
        if (entry.opens)
        {
            openings.push_back({m_phases.Find(entry.slot)->id, entry.counter});
        }
    }
    const auto message = OpusMessage::Make(OpusMessage::PROFILE, m_rank, {0, 0, 0});
    for (const auto& part : OpusMessage::Split(message, openings))
    {
        m_path->SendToController(part, cause);
    }
}

void
OpusShim::HandleUnion(const OpusMessage& message, const Cause& cause)
{
    for (const auto& opening : message.openings)
    {
        m_phases.Find(opening.group)->openings.Insert(opening.counter);
    }
    if (!message.flag)
    {
        return;
    }
    for (auto& entry : m_profile)
    {
        entry.opens = m_phases.Find(entry.slot)->openings.Contains(entry.counter);
    }
    Send(OpusMessage::READY, {0, 0, 0}, cause);
}

void
OpusShim::HandleReady(const Cause& cause)
{
    if (m_hasProfile)
    {
        return; // said again by a controller that has restarted
    }
    m_phases.UseProfile(m_profile);
    m_hasProfile = true;
    if (m_go)
    {
        m_foresees = true;
        const Pass go = std::move(m_go);
        m_go = nullptr;
        go(cause);
        ForeseeFirst(cause);
    }
}

void
OpusShim::SendRequest(const Cause& cause)
{
    auto message = OpusMessage::Make(OpusMessage::REQUEST, m_rank, m_request);
    message.time = m_requestedAt;
    message.flag = !m_guessing && !m_withdrawing;
    m_path->SendToController(message, cause);
}

void
OpusShim::Send(OpusMessage::Type type, const OpusKey& key, const Cause& cause)
{
    auto message = OpusMessage::Make(type, m_rank, key);
    message.time = Simulator::Now();
    m_path->SendToController(message, cause);
}

} // namespace photonic
} // namespace ns3

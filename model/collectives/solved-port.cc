/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "solved-port.h"

#include "ns3/optical-net-device.h"
#include "ns3/roce-header.h"
#include "ns3/simulator.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

std::unique_ptr<SolvedPort>
SolvedPort::CreatePackets(const MessageEndpoint& endpoint,
                          DataRate rate,
                          Time propagation,
                          uint16_t mtu)
{
    LineModel model;
    model.rate = LineRate(rate);
    model.propagation = propagation;
    model.softwareLatency = endpoint.GetMessageLatency();
    model.maxPayload = RoceHeader::GetMaxPayload(mtu);
    model.overhead = mtu - model.maxPayload + OpticalNetDevice::GetFrameOverhead();
    return std::make_unique<SolvedPort>(model);
}

std::unique_ptr<SolvedPort>
SolvedPort::CreateScaleUp(const MessageEndpoint& endpoint, DataRate rate, Time latency)
{
    LineModel model;
    model.rate = LineRate(rate);
    model.propagation = latency;
    model.softwareLatency = endpoint.GetMessageLatency();
    return std::make_unique<SolvedPort>(model);
}

SolvedPort::SolvedPort(const LineModel& model)
    : m_model(model)
{
}

void
SolvedPort::Post(Ptr<Message> message)
{
    throw std::logic_error("a message from rank " + std::to_string(message->source) + " to rank " +
                           std::to_string(message->destination) +
                           " was posted to a port whose traffic is solved, not sent");
}

const LineModel&
SolvedPort::GetModel() const
{
    return m_model;
}

const ExactTime&
SolvedPort::GetFree() const
{
    return m_free;
}

const Cause&
SolvedPort::GetCause() const
{
    return m_cause;
}

std::optional<SolvedPort::User>
SolvedPort::Claim(const User& user)
{
    const Time now = Simulator::Now();
    // Messages of one communicator go in the order in which they are posted; those of others
    // alternate packet by packet.
    if (m_claimed || m_lastPost > now + m_model.softwareLatency ||
        (m_free > ExactTime(now + m_model.softwareLatency) &&
         m_user.communicator != user.communicator))
    {
        return m_user;
    }
    m_claimed = true;
    m_user = user;
    return std::nullopt;
}

void
SolvedPort::Leave(const CollectiveSolver::LineEnd& line, const Cause& cause)
{
    m_claimed = false;
    m_free = line.free;
    m_lastPost = line.lastPost;
    m_cause = cause;
}

} // namespace photonic
} // namespace ns3

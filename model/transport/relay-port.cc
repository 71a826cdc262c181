/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "relay-port.h"

#include "roce-port.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

RelayPort::RelayPort(MessageEndpoint& endpoint,
                     uint32_t nicPort,
                     uint32_t mate,
                     uint32_t mateIn,
                     uint32_t matePort)
    : m_endpoint(endpoint),
      m_port(endpoint.GetPort(nicPort)),
      m_mate(mate),
      m_mateIn(mateIn),
      m_matePort(matePort)
{
    if (mate == endpoint.GetRank())
    {
        throw std::invalid_argument("rank " + std::to_string(mate) + " was to relay for itself");
    }
}

RelayPort::RelayPort(MessageEndpoint& endpoint,
                     uint32_t domainPort,
                     uint32_t mate,
                     uint32_t matePort)
    : RelayPort(endpoint, domainPort, mate, 0, matePort)
{
    if (dynamic_cast<RocePort*>(&m_port))
    {
        throw std::invalid_argument("port " + std::to_string(domainPort) + " of rank " +
                                    std::to_string(endpoint.GetRank()) +
                                    " is a NIC port: a relay is reached by a scale-up domain");
    }
}

void
RelayPort::Post(Ptr<Message> message)
{
    if (message->destination == m_mate)
    {
        throw std::logic_error("rank " + std::to_string(m_mate) +
                               " was to relay a message of rank " +
                               std::to_string(message->source) + " to itself");
    }
    m_endpoint.GetDirectory().Get(m_mate).GetPort(m_matePort); // or it throws
    auto carrier = Create<Message>();
    carrier->key = message->key;
    carrier->source = m_endpoint.GetRank();
    carrier->destination = m_mate;
    carrier->remotePort = m_mateIn;
    carrier->bytes = message->bytes;
    carrier->cause = message->cause;
    carrier->relayed = message;
    carrier->relayPort = m_matePort;
    m_port.Post(carrier);
}

} // namespace photonic
} // namespace ns3

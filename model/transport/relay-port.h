/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RELAY_PORT_H
#define PHOTONIC_RELAY_PORT_H

#include "message-endpoint.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief The way out by a port of another rank, which passes messages on.
 *
 * Where rails are not joined, a message to a rank on another rail goes through the scale-up domain
 * to a mate that is on that rail, and out of the mate's NIC, as NCCL does it and calls it PXN
 * (NVIDIA, "Doubling all2all performance with NVIDIA Collective Communication Library 2.12", 2022).
 * The mate passes a message on when it has all of it, after its MessageLatency. The message shares
 * both ways with whatever else goes there; to its receiver it is one of the original source.
 *
 * Where circuits are few, hosts forward in the same way: the mate is then the rank at the other end
 * of a NIC port's circuit, and its port may be a RelayPort again.
 */
class RelayPort : public MessagePort
{
  public:
    /**
     * @param endpoint that the port belongs to
     * @param domainPort number of its port into the scale-up domain
     * @param mate another rank of the domain
     * @param matePort number of the mate's port that messages go on by
     * @throws std::invalid_argument if the mate is the endpoint's own rank, or the first port is
     * one of a NIC
     */
    RelayPort(MessageEndpoint& endpoint, uint32_t domainPort, uint32_t mate, uint32_t matePort);

    /**
     * The same by a NIC port.
     * @param endpoint that the port belongs to
     * @param nicPort number of its port whose circuit leads to the mate; one of packets, as
     *        messages of several sources share it
     * @param mate another rank
     * @param mateIn number of the mate's NIC port at which the circuit ends
     * @param matePort number of the mate's port that messages go on by
     * @throws std::invalid_argument if the mate is the endpoint's own rank
     */
    RelayPort(MessageEndpoint& endpoint,
              uint32_t nicPort,
              uint32_t mate,
              uint32_t mateIn,
              uint32_t matePort);

    // inherited from MessagePort
    void Post(Ptr<Message> message) override;

  private:
    MessageEndpoint& m_endpoint;
    MessagePort& m_port; ///< to the mate
    uint32_t m_mate;
    uint32_t m_mateIn{0}; ///< a domain has no ports
    uint32_t m_matePort;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RELAY_PORT_H

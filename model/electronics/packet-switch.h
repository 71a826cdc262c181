/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PACKET_SWITCH_H
#define PHOTONIC_PACKET_SWITCH_H

#include "ns3/data-rate.h"
#include "ns3/mac48-address.h"
#include "ns3/object.h"
#include "ns3/optical-channel.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-electronics Electronics
 * @ingroup photonic-rails
 * @brief The packet switch of electrical rails.
 */

/**
 * @ingroup photonic-rails-electronics
 * @brief An ideal packet switch: cut-through, without latency, non-blocking, with one queue per
 * egress.
 *
 * A packet is forwarded when its first bit arrives; it starts at the egress at the exact time at
 * which that bit arrived, or when the packets that were queued before it have left, first in, first
 * out. Without contention it therefore costs one serialisation and the propagation of its two
 * fibres, as on an optical circuit. Buffers are unlimited and nothing is marked or dropped, except
 * packets for an address that no port has.
 *
 * All ports of the switch have one rate, that of the devices attached to them.
 */
class PacketSwitch : public Object
{
  public:
    static TypeId GetTypeId();

    PacketSwitch();
    ~PacketSwitch() override;

    /**
     * Add a port.
     * @param fibre a channel with one device attached (else std::logic_error); the switch takes its
     *        other end
     * @param rate of the port
     * @return number of the port, from 0
     */
    uint32_t Attach(Ptr<OpticalChannel> fibre, DataRate rate);

    /**
     * Forward packets for an address to a port. Packets for group addresses go to all ports.
     * @param address of a device
     * @param port where it is
     */
    void SetForwarding(Mac48Address address, uint32_t port);

    /**
     * Block or unblock an output: while it is blocked its packets wait.
     * @param port the output
     * @param blocked whether it is
     */
    void SetBlocked(uint32_t port, bool blocked);

    /**
     * @param port an output
     * @return packets whose transmission has not started
     */
    std::size_t GetQueueLength(uint32_t port) const;

    /// @param port an output @return the longest that its queue has been, in packets
    std::size_t GetLongestQueue(uint32_t port) const;

    uint32_t GetNPorts() const;

    /// @return packets that went out
    uint64_t GetForwarded() const;

    /// Trace of arrivals: packet, output.
    typedef void (*EnqueueTracedCallback)(Ptr<const Packet> packet, uint32_t egress);

  protected:
    void DoDispose() override;

  private:
    class Port;

    void Forward(Frame& frame, uint32_t ingress);

    std::vector<std::unique_ptr<Port>> m_ports;
    std::unordered_map<uint64_t, uint32_t> m_forwarding;
    uint64_t m_forwarded{0};
    TracedCallback<Ptr<const Packet>, uint32_t> m_enqueueTrace;
    TracedCallback<Ptr<const Packet>, const std::string&> m_dropTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PACKET_SWITCH_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PACKET_SWITCH_H
#define PHOTONIC_PACKET_SWITCH_H

#include "forwarding-table.h"
#include "switch-port.h"

#include "ns3/data-rate.h"
#include "ns3/mac48-address.h"
#include "ns3/object.h"
#include "ns3/optical-channel.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-electronics Electronics
 * @ingroup photonic-rails
 * @brief Packet switches.
 */

/**
 * @ingroup photonic-rails-electronics
 * @brief An ideal packet switch: cut-through, without latency, non-blocking, with one queue per
 * egress; and what all packet switches have in common: ports, forwarding and load balancing.
 *
 * A packet is forwarded when its first bit arrives; it starts at the egress at the exact time at
 * which that bit arrived, or when the packets that were queued before it have left, first in, first
 * out. Without contention it therefore costs one serialisation and the propagation of its two
 * fibres, as on an optical circuit. Buffers are unlimited and nothing is marked or dropped, except
 * packets for an address that no port has. All ports of an ideal switch have one rate.
 *
 * Fibres of devices keep the switch. Whoever builds a fabric keeps switches that have no device.
 */
class PacketSwitch : public Object
{
  public:
    /// Which of several equally good ports a packet takes.
    enum LoadBalancing
    {
        FLOW_HASH,   ///< the same for all packets of a flow: ECMP, RFC 2992
        ROUND_ROBIN, ///< each packet the next one
        RANDOM,      ///< each packet any one
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    PacketSwitch();
    ~PacketSwitch() override;

    /**
     * Add a port.
     * @param fibre a channel with a free end (else std::logic_error); at the other is, or comes, a
     *        device or another packet switch
     * @param rate of the port
     * @return number of the port, from 0
     */
    uint32_t Attach(Ptr<OpticalChannel> fibre, DataRate rate);

    /**
     * Forward packets for an address to a port.
     * @param address of a device
     * @param port where it is (else std::invalid_argument)
     */
    void SetForwarding(Mac48Address address, uint32_t port);

    /**
     * Forward packets for hosts, see MakeHostAddress(), to any one of some ports.
     * @param first host @param last host
     * @param ports that lead there (else std::invalid_argument)
     */
    void SetForwarding(uint32_t first, uint32_t last, const std::vector<uint32_t>& ports);

    /// @return who is reached by which ports
    const ForwardingTable& GetForwardingTable() const;
    /// Forget all routes of the table.
    void ClearForwarding();

    /**
     * Packets for group addresses go to all ports with devices, and to those that are given here;
     * in a fabric these must be the edges of a tree.
     * @param port joined to another switch
     */
    void SetFlooding(uint32_t port);

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

    /// @return number of ports
    uint32_t GetNPorts() const;

    /// @param port a port (else std::out_of_range) @return its state
    SwitchPort& GetPort(uint32_t port) const;

    /// @param port a port @return the port at the other end of its fibre, if that is a switch's
    const SwitchPort* GetPeer(uint32_t port) const;

    /// @param port a port @return the device at the other end of its fibre, or null
    Ptr<NetDevice> GetDevice(uint32_t port) const;

    /// @return packets that were handed to an output
    uint64_t GetForwarded() const;

    /// @return packets dropped, by reason
    const std::map<std::string, uint64_t>& GetDrops() const;

    /**
     * @param stream of the first random variable
     * @return how many there are
     */
    virtual int64_t AssignStreams(int64_t stream);

    /// Trace of arrivals: packet, output.
    typedef void (*EnqueueTracedCallback)(Ptr<const Packet> packet, uint32_t egress);

  protected:
    void DoDispose() override;

    /// @param number of the port @param rate of the line @return a port, of the kind used here
    virtual std::unique_ptr<SwitchPort> MakePort(uint32_t number, DataRate rate);

    /// Called when a port has been attached. @param port its number @param propagation of its fibre
    virtual void PortAdded(uint32_t port, Time propagation);

    /**
     * @param frame that goes out; start and end are when its first and last bit arrive here
     * @param ingress where it came in @param egress where it goes out
     */
    virtual void Pass(Frame& frame, uint32_t ingress, uint32_t egress);

    /// @param frame that is not forwarded @param reason a short name
    void Drop(Frame& frame, const std::string& reason);

    /// By number.
    std::vector<std::unique_ptr<SwitchPort>> m_ports;
    /// Packets that have left.
    uint64_t m_forwarded{0};

  private:
    friend class SwitchPort;

    void CheckPort(uint32_t port) const;
    void Forward(Frame& frame, uint32_t ingress);
    void Flood(Frame& frame, uint32_t ingress);
    uint32_t Choose(const ForwardingTable::Ports& ports, uint32_t flow);

    ForwardingTable m_forwarding;
    std::vector<bool> m_flooding;
    LoadBalancing m_balancing;
    uint32_t m_seed;
    std::vector<uint32_t> m_turns; ///< of round robin, by the first of the ports
    Ptr<UniformRandomVariable> m_random;
    std::map<std::string, uint64_t> m_drops;
    TracedCallback<Ptr<const Packet>, uint32_t> m_enqueueTrace;
    TracedCallback<Ptr<const Packet>, const std::string&> m_dropTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PACKET_SWITCH_H

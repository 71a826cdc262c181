/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_ROCE_PORT_H
#define PHOTONIC_ROCE_PORT_H

#include "message-endpoint.h"
#include "roce-packets.h"

#include "ns3/optical-net-device.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief What all ports have in common whose messages become RoCE packets of a NIC port.
 *
 * It is the packet source of its device, and gets what arrives there for UDP port 4791; other
 * packets are for the node's Internet stack.
 */
class RocePort : public MessagePort, public PacketSource
{
  public:
    /**
     * @param endpoint that the port belongs to
     * @param device of the endpoint's node
     * @param address IPv4 address that its packets bear, as an integer
     */
    RocePort(MessageEndpoint& endpoint, Ptr<OpticalNetDevice> device, uint32_t address);
    ~RocePort() override;

    /// @param priority class of traffic of its packets, 3 if not set; before the first message
    void SetPriority(uint8_t priority);

    // inherited from MessagePort
    uint64_t GetPacketsReceived() const override;
    uint64_t GetOutOfSequence() const override;

    // inherited from PacketSource
    uint8_t GetPriority() const override;

    /// @return port of the node
    Ptr<OpticalNetDevice> GetDevice() const;

  protected:
    /// @param header of a packet that arrived @param packet with its header
    virtual void ReceivePacket(const RoceHeader& header, const Packet& packet) = 0;

    /**
     * @param receiver the receiving port @param destination its link address
     * @param header of each packet, but for its sequence number and size
     * @return the packets of a message
     */
    Ptr<RocePackets> MakePackets(const RocePort& receiver,
                                 Mac48Address destination,
                                 const RoceHeader& header) const;

    /**
     * What follows a packet on the line, or others that wait for it, ends when it does because of
     * whatever made the line busy.
     * @param cause why something is to be sent; replaced if it is not why it will be
     * @param behind whether something else goes before it that waits, though the line is idle
     * @return whether a busy period begins
     */
    bool JoinBusyPeriod(Cause& cause, bool behind = false);

    /// End the run: no such connection. @param number of it
    void FailConnection(uint32_t number);

    /// That it is a port of.
    MessageEndpoint& m_endpoint;
    /// Port of the node.
    Ptr<OpticalNetDevice> m_device;
    /// Of IPv4.
    uint32_t m_address;
    /// Bytes of a message that a packet can carry.
    uint32_t m_maxPayload;
    /// Of the line.
    LineRate m_rate;
    uint8_t m_priority{3}; ///< what RoCE is given by custom
    Cause m_busyCause;     ///< why the present busy period of the line began
    /// All that have arrived here.
    uint64_t m_packetsReceived{0};
    /// Those that were not the one expected.
    uint64_t m_outOfSequence{0};

  private:
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_ROCE_PORT_H

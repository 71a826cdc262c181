/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PACKET_REMOTE_CHANNEL_H
#define PHOTONIC_PACKET_REMOTE_CHANNEL_H

#include "remote-fibre.h"

#include "ns3/optical-channel.h"

#include <memory>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-distributed
 * @brief A fibre between a device and a packet switch, which may be in different processes.
 *
 * A frame goes across a tick after its first bit has left, when nothing that happens in the tick of
 * its start can come before it any more. It is there when the receiver sees it in one process, too:
 * a switch at its first bit, a device at its last.
 *
 * Used by ElectricalRailHelper where the nodes of a rail are in different processes. In a run of
 * one process it is an OpticalChannel.
 */
class PacketRemoteChannel : public OpticalChannel, public RemoteFibre
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    PacketRemoteChannel();
    ~PacketRemoteChannel() override;

    // inherited from RemoteFibre
    void Handle(const RemoteMessage& message, Ptr<Packet> frame) override;

  private:
    void DoDispose() override;
    Ptr<LightPath> CreateDirectPath(FibreEnd& from, FibreEnd& to) override;
    void SendFrame(Frame& frame, const FibreEnd& to, uint32_t system);

    uint32_t m_switch;                        ///< system identifier
    FibreEnd* m_here{nullptr};                ///< the end in this process, if the other is not
    std::unique_ptr<RemoteReceiver> m_beyond; ///< stands for the other
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PACKET_REMOTE_CHANNEL_H

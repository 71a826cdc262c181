/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTICAL_REMOTE_CHANNEL_H
#define PHOTONIC_OPTICAL_REMOTE_CHANNEL_H

#include "remote-fibre.h"

#include "ns3/optical-channel.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-distributed
 * @brief A fibre into a circuit switch, where device and switch may be in different processes.
 *
 * The process of the switch keeps the circuits and tells the devices' processes of changes, which
 * reach them one propagation later, as light does. The frames themselves do not pass by the
 * switch's process: they go from the sender's process to the receiver's, where both are the same
 * along an ordinary LightPath. The receiver's process knows of the end of a circuit before it gets
 * the first frame that did not survive it, and sorts such frames out.
 *
 * Used by PhotonicRailHelper where the nodes of a rail are in different processes. In a run of one
 * process it is an OpticalChannel.
 */
class OpticalRemoteChannel : public OpticalChannel, public RemoteFibre
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    OpticalRemoteChannel();
    ~OpticalRemoteChannel() override;

    /// @param fibre by Channel::GetId() @return the fibre
    static OpticalRemoteChannel& Find(uint32_t fibre);

    // inherited from RemoteFibre
    void Handle(const RemoteMessage& message, Ptr<Packet> frame) override;

    // inherited from OpticalChannel
    void AttachToSwitch(LostInSwitch lost) override;
    Ptr<LightPath> CreatePath(OpticalChannel& to, uint64_t generation) override;
    void TellLightUp(Ptr<LightPath> path, OpticalChannel& to, uint64_t generation) override;
    void TellLightDown(uint64_t generation) override;
    void TellReceiverLit(bool lit, uint64_t generation) override;
    void AskToFinishPacket(std::function<void(const ExactTime&)> answer) override;

  private:
    /// A circuit that starts here, with its light in this process.
    struct Circuit
    {
        Ptr<LightPath> path;
        std::unique_ptr<RemoteReceiver> receiver; ///< if the receiver is elsewhere
    };

    void DoDispose() override;
    Ptr<LightPath> CreateLocalPath(OpticalRemoteChannel& to, uint64_t generation);
    void ForgetCircuits();
    void SendFrame(Frame& frame, OpticalRemoteChannel& to, uint64_t generation);
    void ReceiveFrame(const RemoteMessage& message, Ptr<Packet> packet);
    void Dark(uint64_t generation, Time at);
    void LoseAtSwitch(Frame& frame);
    void Tell(const RemoteMessage& message);

    uint32_t m_switch;    ///< system identifier
    uint32_t m_device{0}; ///< system identifier
    bool m_distributed{false};
    bool m_switchRemote{false};
    bool m_deviceRemote{false};
    LostInSwitch m_lostInSwitch;
    std::map<uint64_t, Circuit> m_sending; ///< by generation
    /// Circuits from senders of this process, and their fibres, by generation.
    std::map<uint64_t, std::pair<Ptr<LightPath>, OpticalRemoteChannel*>> m_receiving;
    uint64_t m_darkGeneration{0}; ///< the last circuit to this device that ended
    Time m_darkAt;                ///< when it did
    std::deque<std::function<void(const ExactTime&)>> m_answers; ///< that wait for the device
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTICAL_REMOTE_CHANNEL_H

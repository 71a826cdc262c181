/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_REMOTE_FIBRE_H
#define PHOTONIC_REMOTE_FIBRE_H

#include "remote-message.h"

#include "ns3/light-path.h"

#include <functional>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-distributed
 * @brief A fibre whose ends may be in different processes. All processes have all fibres; what
 * happens at a fibre's end happens in the process of that end.
 */
class RemoteFibre
{
  public:
    virtual ~RemoteFibre() = default;

    /// Something that has happened in another process. @param message what @param frame or empty
    virtual void Handle(const RemoteMessage& message, Ptr<Packet> frame) = 0;
};

/**
 * @ingroup photonic-rails-distributed
 * @brief Stands for a receiver in another process, at the end of one light path.
 */
class RemoteReceiver : public FibreEnd
{
  public:
    /**
     * @param sender at the other end of the path
     * @param receiver which this stands for
     * @param distance propagation to the receiver from here on
     * @param cutThrough whether frames are wanted at their first bit
     * @param send takes the frames that come to the end of the path
     */
    RemoteReceiver(const FibreEnd& sender,
                   const FibreEnd& receiver,
                   Time distance,
                   bool cutThrough,
                   std::function<void(Frame&)> send);

    // inherited from FibreEnd; it only receives
    void Advance() override;
    bool GetNextStart(const LightPath& path, ExactTime& start) const override;
    bool IsCutThrough() const override;
    void Arrive(Frame& frame, Time propagation) override;
    void Lost(Frame& frame, const char* reason) override;
    void LightUp(Ptr<LightPath> path) override;
    void LightDown() override;
    ExactTime FinishPacket() override;
    void ReceiverLit(bool lit) override;
    bool IsWatched() const override;
    uint32_t GetContext() const override;
    Ptr<NetDevice> GetDevice() const override;
    Time GetDistance() const override;

  private:
    const FibreEnd& m_sender;
    const FibreEnd& m_receiver;
    Time m_distance;
    bool m_cutThrough;
    std::function<void(Frame&)> m_send;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_REMOTE_FIBRE_H

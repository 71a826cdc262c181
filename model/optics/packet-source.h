/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PACKET_SOURCE_H
#define PHOTONIC_PACKET_SOURCE_H

#include "light-path.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @brief Something with packets of its own that an OpticalNetDevice fetches when its line is free.
 *
 * A transport with terabytes to send does not fill a device's queue: it says that it has packets,
 * and sends one, in one of three ways, for each SendNext(): as a Packet; as a packet that is made
 * only when somebody looks at it; or many at once, as a train.
 *
 * The device is lazy: it may fetch a packet after its start. A source that gets a packet therefore
 * calls the device's Advance() first, so that what has started is gone, and NotifySource() after if
 * it had nothing left that could have started by now. Without the first, the new packet would pass
 * for one that was already there.
 */
class PacketSource
{
  public:
    virtual ~PacketSource() = default;

    /// @return whether SendNext() has something to send
    virtual bool HasPacket() const = 0;

    /**
     * A source that paces its packets has something to send, but not yet. Stock traffic passes it.
     * @return no packet of HasPacket() starts before; the beginning of time if any may start now
     */
    virtual ExactTime GetEarliest() const
    {
        return ExactTime();
    }

    /**
     * A source may put packets that come later before those that wait. What happens within one tick
     * then happens in no order: a packet that can start in the present tick is asked for when that
     * tick is over, if nobody at the other end can tell.
     * @return whether it may
     */
    virtual bool CanOvertake() const
    {
        return false;
    }

    /**
     * While this class is paused on the line SendNext() is not called. A source of several classes
     * offers one that is not, see OpticalNetDevice::IsPaused().
     * @return class of traffic of what SendNext() would send
     */
    virtual uint8_t GetPriority() const
    {
        return 0;
    }

    /**
     * Call Send(), SendLazy() or SendTrain() of the device exactly once.
     * @param start when the packet's first bit goes onto the line; not later than now
     */
    virtual void SendNext(const ExactTime& start) = 0;

    /**
     * A packet for this source has arrived that nobody has looked at. The others come through the
     * receive callback of the device.
     * @param frame with the packet's maker
     */
    virtual void ReceiveLazy(const Frame& frame);

    /**
     * There is light, and packets of this source have waited for it.
     * @param waited since the first of them could have started
     */
    virtual void LightCame(Time waited);

    /**
     * Packets at the end of the train that was sent last have not been sent after all.
     * @param packets that come next now
     */
    virtual void TakeBack(uint64_t packets);

    /**
     * A train has arrived at the device.
     * @param frame with the train
     * @param head when its first bit arrived
     */
    virtual void ReceiveTrain(const Frame& frame, const ExactTime& head);
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PACKET_SOURCE_H

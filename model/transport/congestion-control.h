/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CONGESTION_CONTROL_H
#define PHOTONIC_CONGESTION_CONTROL_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <limits>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief How fast one connection may send. This one never limits it.
 *
 * It hears what happens to the connection, in order of time, and says a rate and a window. It needs
 * no events: what a timer would have done it does when it is asked next.
 */
class CongestionControl : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param lineRate of the port @param packetBytes on the line of a full packet
    virtual void Start(DataRate lineRate, uint32_t packetBytes);

    /// @return whether switches may mark its packets, and receivers notify it of marks
    virtual bool UsesMarks() const;

    /// A packet starts. @param bytes on the line @param now when
    virtual void OnSend(uint32_t bytes, Time now);

    /// @param packets that are acknowledged now @param roundTrip of the last @param now when
    virtual void OnAcknowledged(uint64_t packets, Time roundTrip, Time now);

    /// A congestion notification has come. @param now when
    virtual void OnMark(Time now);

    /// A packet is presumed lost. @param now when
    virtual void OnLoss(Time now);

    /// The retransmission timer has expired. @param now when
    virtual void OnTimeout(Time now);

    /// @param now when @return bit/s; infinite: as fast as the line
    virtual double GetRate(Time now);

    /// @return packets that may be under way; below 1 it is the rate that counts
    virtual double GetWindow() const;

  protected:
    /// No limit, of a rate or a window.
    static constexpr double UNLIMITED = std::numeric_limits<double>::infinity();
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CONGESTION_CONTROL_H

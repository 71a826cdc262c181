/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SWIFT_H
#define PHOTONIC_SWIFT_H

#include "congestion-control.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief Swift (Kumar et al., SIGCOMM 2020, algorithm 1): a window that holds the round-trip time
 * at a target.
 *
 * The window grows by a constant per round trip below the target, and shrinks above it in
 * proportion to the excess, at most once per round trip. The target is the higher the smaller the
 * window is (flow-based scaling), since more flows make longer queues. Below one packet the window
 * becomes a pace.
 */
class Swift : public CongestionControl
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param window in packets @return the target that a flow with that window has
    Time GetTarget(double window) const;

    // inherited from CongestionControl
    void Start(DataRate lineRate, uint32_t packetBytes) override;
    void OnAcknowledged(uint64_t packets, Time roundTrip, Time now) override;
    void OnLoss(Time now) override;
    void OnTimeout(Time now) override;
    double GetRate(Time now) override;
    double GetWindow() const override;

  private:
    void Shrink(double factor, Time now);
    void Clamp();

    double m_additive;
    double m_beta;
    double m_greatestDecrease;
    Time m_base;
    Time m_range;
    double m_rangeLeast;
    double m_rangeMost;
    double m_least;
    double m_most;
    uint32_t m_resetAfter;

    uint32_t m_packetBits{0};
    double m_window{0};
    Time m_roundTrip;
    Time m_lastDecrease{Time::Min()};
    uint32_t m_timeouts{0}; ///< in a row
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SWIFT_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_DCQCN_H
#define PHOTONIC_DCQCN_H

#include "congestion-control.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief The reaction point of DCQCN (Zhu et al., SIGCOMM 2015, section 3).
 *
 * A notification cuts the rate by half of alpha, the estimate of congestion, and remembers the rate
 * before as the target. Without notifications alpha decays, and events of a timer and of a byte
 * counter bring the rate back: half of the way to the target at a time, whose own growth begins
 * with the threshold-th event of either and is faster after that of both.
 */
class Dcqcn : public CongestionControl
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return the estimate of congestion, as of the last call
    double GetAlpha() const;
    /// @return bit/s that the rate recovers to, as of the last call
    double GetTarget() const;

    // inherited from CongestionControl
    void Start(DataRate lineRate, uint32_t packetBytes) override;
    bool UsesMarks() const override;
    void OnSend(uint32_t bytes, Time now) override;
    void OnMark(Time now) override;
    double GetRate(Time now) override;

  private:
    void AdvanceTo(Time now);
    void Increase();

    double m_gain;
    Time m_alphaInterval;
    Time m_increaseInterval;
    uint64_t m_byteCounter;
    uint32_t m_threshold;
    DataRate m_additive;
    DataRate m_hyper;
    DataRate m_minimum;

    double m_lineRate{0};
    double m_rate{0};
    double m_target{0};
    double m_alpha{1};
    bool m_marked{false};  ///< ever
    bool m_limited{false}; ///< below the line rate
    Time m_alphaFrom;      ///< last update of alpha
    Time m_increaseFrom;   ///< last event of the timer
    uint64_t m_bytes{0};   ///< since the last event of the byte counter
    uint32_t m_timeEvents{0};
    uint32_t m_byteEvents{0};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_DCQCN_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_ECN_MARKER_H
#define PHOTONIC_ECN_MARKER_H

#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-electronics
 * @brief Whether a packet that joins a queue gets a congestion mark: RED on the instantaneous
 * queue, as DCQCN has it (Zhu et al. 2015), of which DCTCP's step is the case of equal bounds.
 */
class EcnMarker
{
  public:
    /// Of RED as switches have it.
    struct Settings
    {
        uint64_t low;    ///< Kmin: bytes of a queue up to which nothing is marked
        uint64_t high;   ///< Kmax: bytes above which everything is
        double greatest; ///< Pmax: probability at the upper bound
    };

    /// @param settings with low <= high and a probability
    explicit EcnMarker(const Settings& settings);

    /// @param queued bytes that an arriving packet finds @return probability of a mark
    double GetProbability(uint64_t queued) const;

    /// @param queued bytes that an arriving packet finds @return whether it is to be marked
    bool Decide(uint64_t queued);

    /// @param stream of the random variable
    void SetStream(int64_t stream);

  private:
    Settings m_settings;
    Ptr<UniformRandomVariable> m_random;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_ECN_MARKER_H

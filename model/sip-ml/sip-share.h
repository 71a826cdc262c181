/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_SHARE_H
#define PHOTONIC_SIP_SHARE_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief Circuits or wavelengths per byte of demand: a fraction, compared without rounding.
 */
struct SipShare
{
    uint64_t count; ///< circuits or wavelengths, below 2^32
    uint64_t bytes; ///< of demand, at least 1

    /// @param other a share @return whether this is less
    bool operator<(const SipShare& other) const;

    /// @param demand of a pair, in bytes
    /// @return the least number of circuits that gives a pair this share, at most 2^32 - 1
    uint32_t GetLeast(uint64_t demand) const;

    /// @param demand of a pair, in bytes
    /// @return the greatest number of circuits that gives a pair less than this, at most 2^32 - 1
    uint32_t GetMostBelow(uint64_t demand) const;

    /// @param largest demand of a pair, in bytes
    /// @return z, the circuits of a pair with that demand at this share
    double Normalise(uint64_t largest) const;
};

/**
 * @ingroup photonic-rails-sip-ml
 * @brief A pair that may get one more circuit; the neediest is the greatest and tops a heap.
 */
struct SipNeed
{
    /// What it has per byte.
    SipShare share;
    uint32_t pair; ///< index

    /// @param other a need
    /// @return whether it has more per byte, or as much for fewer bytes, or else a higher index
    bool operator<(const SipNeed& other) const;
};

/**
 * @ingroup photonic-rails-sip-ml
 * @param demands bytes of each pair
 * @param counts circuits of each
 * @return the smallest share; that of 0 circuits for 1 byte if there are no pairs
 */
SipShare GetWorstShare(const std::vector<uint64_t>& demands, const std::vector<uint32_t>& counts);

/**
 * @ingroup photonic-rails-sip-ml
 * @param demands bytes of each pair; not empty
 * @param above a share
 * @return the smallest larger share that a pair can have
 */
SipShare GetNextShare(const std::vector<uint64_t>& demands, const SipShare& above);

/**
 * @ingroup photonic-rails-sip-ml
 * @brief A share in the middle of those that pairs can have between two bounds, so that a search by
 * halves ends.
 * @param demands bytes of each pair
 * @param above lower bound, not included
 * @param below upper bound, not included; where it is met, it becomes the share found
 * @return whether there is one
 */
bool FindMiddleShare(const std::vector<uint64_t>& demands, const SipShare& above, SipShare& below);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_SHARE_H

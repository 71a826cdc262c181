/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_COLLECTIVE_KIND_H
#define PHOTONIC_COLLECTIVE_KIND_H

#include <cstdint>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief What a communicator can be asked to do. Sizes are totals, never per rank.
 */
enum class CollectiveKind : uint8_t
{
    ALL_GATHER,     ///< every rank ends with all bytes; it starts with its 1/n share
    REDUCE_SCATTER, ///< every rank starts with all bytes; it ends with its reduced 1/n share
    ALL_REDUCE,     ///< every rank starts and ends with all bytes
    BROADCAST,      ///< all bytes go from the root to every rank
    RING_EXCHANGE,  ///< every rank has all bytes of its own: half go to the next rank, half to the
                    ///< one before, and so do those which it gets, if it passes them on
    ALL_TO_ALL,     ///< every rank starts and ends with all bytes: a share for, and of, each rank
    SEND,           ///< point to point, this rank sends
    RECEIVE,        ///< point to point, this rank receives
    SEND_RECEIVE,   ///< one batched operation: this rank sends to and receives from one peer
};

/**
 * @ingroup photonic-rails-collectives
 * @param kind the operation
 * @return its name, as in reports: "all-gather", "send", ...
 */
const char* ToString(CollectiveKind kind);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_COLLECTIVE_KIND_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_MESSAGE_H
#define PHOTONIC_MESSAGE_H

#include "cause.h"

#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <functional>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief What send and receive match by, beside the two ranks.
 */
struct MessageKey
{
    uint32_t communicator; ///< group identifier
    uint32_t sequence;     ///< number of the operation in its communicator
    uint32_t step;         ///< number of the transfer within the operation, unique per pair

    /// @param o another key @return whether they are the same
    bool operator==(const MessageKey& o) const
    {
        return communicator == o.communicator && sequence == o.sequence && step == o.step;
    }
};

/**
 * @ingroup photonic-rails-transport
 * @brief Bytes on their way from one rank to another.
 */
struct Message : public SimpleRefCount<Message>
{
    /// Which message it is.
    MessageKey key;
    uint32_t source;           ///< rank
    uint32_t destination;      ///< rank
    uint32_t remotePort;       ///< port of the destination that the message comes in by
    bool acknowledged{false};  ///< its port tells the source that it has arrived
    uint64_t bytes;            ///< payload
    Cause cause;               ///< why its last bit arrives when it does
    Time posted;               ///< when it was handed over, in the process of its source
    Time firstBit;             ///< when its first bit left, once it has
    Time arrived{Time::Max()}; ///< when its first bit arrived, for ports that it reaches in parts
    Time lastBit;              ///< when its last bit arrived, once it has
    /// Called at the source when it knows that the last bit has arrived at the destination: at that
    /// instant, or with the acknowledgement.
    std::function<void(const Message&)> delivered;
    Ptr<Message> relayed;  ///< what this one carries to a rank that passes it on, if it does
    uint32_t relayPort{0}; ///< port of that rank by which it goes on
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_MESSAGE_H

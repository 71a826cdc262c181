/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPUS_MESSAGE_H
#define PHOTONIC_OPUS_MESSAGE_H

#include "ns3/header.h"
#include "ns3/nstime.h"
#include "ns3/step-program.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief Names an operation: the same at all members of its group.
 */
struct OpusKey
{
    /// Number, profiling steps included.
    uint32_t step;
    uint32_t group;   ///< RankGroup::id
    uint32_t counter; ///< within the group and step

    /// @param o another key @return whether they are the same
    bool operator==(const OpusKey& o) const
    {
        return step == o.step && group == o.group && counter == o.counter;
    }

    /// @param o another key @return whether they differ
    bool operator!=(const OpusKey& o) const
    {
        return !(*this == o);
    }

    /// @param o another key @return whether this comes first, by step, group and counter
    bool operator<(const OpusKey& o) const
    {
        return std::tie(step, group, counter) < std::tie(o.step, o.group, o.counter);
    }
};

/// @param key an operation @return "step 1 group 7 counter 3"
std::string ToString(const OpusKey& key);

/**
 * @ingroup photonic-rails-opus
 * @brief What shims and controller say to each other.
 */
struct OpusMessage
{
    /// What a message says.
    enum Type : uint8_t
    {
        REGISTER = 1, ///< to the controller: the rank is a member of a group
        REGISTERED,   ///< answer: all members are known; flag: the group stays inside a domain
        REQUEST,      ///< to the controller: the rank is ready for the operation's circuits; flag:
                      ///< it waits for them
        WITHDRAW,     ///< to the controller: the request was a misprediction
        GRANTED,      ///< answer: the circuits carry light
        WITHDRAWN,    ///< answer: the request counts no longer
        RECALL,       ///< the operation has to be requested anew (see OpusShim)
        RECALLED,     ///< answer; flag: this rank has started it already
        PROFILE,      ///< to the controller: operations that open a phase; flag: the last part
        UNION,        ///< those of all members of the rank's groups; flag: the last part
        READY,        ///< to the controller: has the union; to the shim: all have it
        ACK,          ///< either way: messages before its sequence have arrived
        HELLO,        ///< a controller that knows nothing asks a rank for what it is about
        HELD,         ///< answer: operations of the group up to this one need no request
        SYNCED,       ///< answer: all that there is to say has been said
        PROBE,        ///< others wait for a request of the rank
        WAITING,      ///< answer: the rank cannot go on without the circuits of this operation
    };

    /// An operation that opens a phase, in any step.
    struct Opening
    {
        /// RankGroup::id.
        uint32_t group;
        /// Within the group and step.
        uint32_t counter;

        /// @param o another one @return whether they are the same
        bool operator==(const Opening& o) const
        {
            return group == o.group && counter == o.counter;
        }

        /// @param o another one @return whether this comes first, by group and counter
        bool operator<(const Opening& o) const
        {
            return std::tie(group, counter) < std::tie(o.group, o.counter);
        }
    };

    /// What it says.
    Type type{REGISTER};
    uint32_t rank{0}; ///< the one that sends or receives
    /// The operation that it is about, if any.
    OpusKey key{0, 0, 0};
    /// Meaning by type.
    bool flag{false};
    uint32_t size{0};              ///< REGISTER: members of the group
    uint32_t position{0};          ///< REGISTER: of the rank in the group
    GroupSlot slot{GroupSlot::TP}; ///< REGISTER: kind of the group
    Time time;                     ///< REQUEST: sent; GRANTED: the last member's request was sent
    std::vector<Opening> openings; ///< PROFILE, UNION
    uint32_t session{0};           ///< of the controller, which starts a new one when it restarts
    uint32_t sequence{0}; ///< in the session, between the controller and the rank, one way; ACK:
                          ///< the next one expected; 0: not numbered, see ControlStream

    /// Openings that a message can carry without being fragmented at an MTU of 1500.
    static constexpr std::size_t MAX_OPENINGS = 170;

    /// @param type of it @param rank that sends or receives it @param key about what
    /// @return the message
    static OpusMessage Make(Type type, uint32_t rank, const OpusKey& key);

    /**
     * @param message type and rank of the parts
     * @param openings any number
     * @return at least one message, with the flag set in the last
     */
    static std::vector<OpusMessage> Split(const OpusMessage& message,
                                          const std::vector<Opening>& openings);
};

/// @param type of a message @return its name in lower case
const char* ToString(OpusMessage::Type type);

/**
 * @ingroup photonic-rails-opus
 * @brief An OpusMessage in bytes, network byte order.
 *
 * Mark "OP" and version (2 + 1 bytes), type (1), identifier (8), rank (4), step, group, counter
 * (4 each), flags (1), slot (1), size, position (4 each), time in ticks of the simulation (8),
 * number of openings (2), 8 bytes per opening, and of a message that is numbered session and
 * sequence (4 each).
 */
class OpusHeader : public Header
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    OpusHeader() = default;

    /**
     * @param id identifies the message between sender and receiver
     * @param message to be sent
     */
    OpusHeader(uint64_t id, const OpusMessage& message);

    /// @return number of the message, unique for its sender
    uint64_t GetId() const;
    /// @return what the packet says
    const OpusMessage& GetMessage() const;

    /// @return whether what was deserialised is a message, whole and of this version
    bool IsValid() const;

    uint32_t GetSerializedSize() const override;
    /// @param message to be sent @return bytes of its header
    static uint32_t GetSize(const OpusMessage& message);
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

  private:
    uint64_t m_id{0};
    OpusMessage m_message;
    bool m_valid{true};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPUS_MESSAGE_H

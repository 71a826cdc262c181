/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_COLLECTIVE_ALGORITHM_H
#define PHOTONIC_COLLECTIVE_ALGORITHM_H

#include "all-to-all-bytes.h"
#include "collective-plan.h"

#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief Neighbouring blocks of the data of a collective, in a circle.
 *
 * What a block is depends on the algorithm, which says so. In an all-to-all every member has a
 * circle of its own of 2n blocks: those for position p are 2p and 2p+1, the halves of its share,
 * the first one a byte larger if it is odd.
 */
struct BlockRange
{
    uint32_t source{0}; ///< whose circle, in an all-to-all
    /// Number of the first block.
    uint32_t first{0};
    /// How many blocks.
    uint32_t count{0};
};

/**
 * @ingroup photonic-rails-collectives
 * @brief What one rank sends and receives in a collective, and in what order.
 *
 * Receives form streams, in each of which they complete in order. Sends form queues, in each of
 * which they start in order, each as soon as given numbers of receives of given streams have
 * completed; queues that are ready take turns. A transfer has the same number at both ends, unique
 * for sender and receiver. How it is striped over lanes is the executor's affair.
 */
struct MemberPlan
{
    /// Which lanes a transfer takes.
    enum class Via : uint8_t
    {
        PEER,     ///< those to the peer
        UPWARDS,  ///< the even lanes of the group, as a ring upwards does
        DOWNWARDS ///< the odd ones; all, if there is one only
    };

    /// A transfer that comes in.
    struct Receive
    {
        uint32_t peer; ///< position
        /// Of the transfer, unique between the two.
        uint32_t number;
        /// Payload, 0 or more.
        uint64_t bytes;
        /// Lanes that it takes.
        Via via;
    };

    /// So many receives of a stream.
    struct Need
    {
        /// Index in @c streams.
        uint32_t stream;
        /// How many of its receives have to be complete.
        uint32_t receives;
    };

    /// A transfer that goes out.
    struct Send
    {
        uint32_t peer; ///< position
        /// Of the transfer, unique between the two.
        uint32_t number;
        /// Payload, 0 or more.
        uint64_t bytes;
        BlockRange data; ///< what is sent, for people and tests: nothing is computed from it
        bool reduces;    ///< the receiver adds it to what it has; else it replaces that
        /// Lanes that it takes.
        Via via;
        uint32_t firstNeed; ///< needs are [firstNeed, lastNeed)
        /// Beyond the last.
        uint32_t lastNeed;
    };

    /// Receives of each stream, in order.
    std::vector<std::vector<Receive>> streams;
    /// Sends of each queue, in order.
    std::vector<std::vector<Send>> queues;
    /// Needs of all sends.
    std::vector<Need> needs;

    /// @param count streams and queues, of each
    explicit MemberPlan(uint32_t count = 1)
        : streams(count),
          queues(count)
    {
    }

    /// Add a send to a queue. @param queue which @param send without needs @param needs of it
    void AddSend(uint32_t queue, Send send, const std::vector<Need>& needs);

    /// Add a send to queue 0 that needs all receives of stream 0 so far. @param send without needs
    void AddSend(const Send& send);

    /// Add a receive to a stream. @param receive to be added @param stream which
    void AddReceive(const Receive& receive, uint32_t stream = 0)
    {
        streams[stream].push_back(receive);
    }

    /// @return bytes that the rank sends in all
    uint64_t GetSentBytes() const;
};

/**
 * @ingroup photonic-rails-collectives
 * @brief What a group is to do together.
 */
struct CollectiveTask
{
    CollectiveKind kind;             ///< any that is not point to point
    uint64_t bytes;                  ///< total, see CollectiveKind
    uint32_t n;                      ///< members
    Ptr<const AllToAllBytes> shares; ///< of an uneven all-to-all; else null
    bool bothWays{true};             ///< in a ring, members reach the one before them too

    /// @param from position @param to position @return bytes that an all-to-all moves between them
    uint64_t GetShare(uint32_t from, uint32_t to) const
    {
        return shares ? shares->Get(from, to) : RingChunks(bytes, n).GetBytes(to);
    }
};

/**
 * @ingroup photonic-rails-collectives
 * @brief A way to do collectives: a plan for each member. It has no state.
 */
class CollectiveAlgorithm : public SimpleRefCount<CollectiveAlgorithm>
{
  public:
    virtual ~CollectiveAlgorithm() = default;

    /// @return its name, as in tables and messages: "ring", "pairwise", ...
    virtual std::string GetName() const = 0;

    /// @param kind of a collective @return whether it can do that
    virtual bool Serves(CollectiveKind kind) const = 0;

    /**
     * @param kind of a collective
     * @return whether it runs on RingLanes, which are what this algorithm means for that kind, and
     *         without a plan
     */
    virtual bool UsesRingLanes(CollectiveKind kind) const;

    /**
     * @param task of the group
     * @param position of the member
     * @return what the member does
     * @throws std::invalid_argument if the algorithm does not serve the kind, or not by a plan
     */
    MemberPlan Plan(const CollectiveTask& task, uint32_t position) const;

  private:
    /// @param task of more than one member, of a kind that is served @param position of the member
    virtual MemberPlan DoPlan(const CollectiveTask& task, uint32_t position) const = 0;
};

/**
 * @ingroup photonic-rails-collectives
 * @param chunks of some data @param first of a range, may be beyond the last: it is a circle
 * @param count of chunks in the range
 * @return bytes of the range
 */
uint64_t GetRangeBytes(const RingChunks& chunks, uint32_t first, uint32_t count);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_COLLECTIVE_ALGORITHM_H

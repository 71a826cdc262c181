/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_COMMUNICATOR_H
#define PHOTONIC_COMMUNICATOR_H

#include "algorithm-table.h"
#include "collective-plan.h"
#include "interval-union.h"
#include "rank-list.h"

#include "ns3/message-endpoint.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{
namespace photonic
{

class SolvedGroup;

/**
 * @defgroup photonic-rails-collectives Collectives
 * @ingroup photonic-rails
 * @brief Collectives, sends and receives of a group of ranks, as messages.
 */

/**
 * @ingroup photonic-rails-collectives
 * @brief How an operation ended at this rank.
 */
struct CollectiveResult
{
    Cause cause;   ///< why it ended now
    Time firstBit; ///< when its first bit passed a port of this rank; now if there was none
    uint64_t sent; ///< payload bytes that this rank sent
    /// When bits passed a port of this rank, from the start of the operation on.
    IntervalUnion traffic;
};

/**
 * @ingroup photonic-rails-collectives
 * @brief An ordered group of ranks, as one of them sees it.
 *
 * An operation is complete at a rank when all that it must receive has arrived there, and the last
 * bit of all that it must send has arrived at the peer. Operations match by their sequence number,
 * which counts the operations of the group unless the caller numbers them. All members have to call
 * the same operations with the same sizes; another size is a failure that names both ranks.
 */
class Communicator : public Object
{
  public:
    /// Which ports a lane uses.
    struct Lane
    {
        uint32_t localPort;  ///< of this rank's endpoint, out
        uint32_t remotePort; ///< of the peer's endpoint, in
    };

    /// Lanes that a communicator can have.
    static constexpr std::size_t MAX_LANES = 32;

    /// Called when an operation, or its receiving part, is over.
    using Done = std::function<void(const CollectiveResult&)>;

    /// An operation. Sizes are totals in bytes.
    struct Request
    {
        /// Of the operation.
        CollectiveKind kind;
        uint64_t bytes{0};        ///< of a collective; sent, if point to point
        uint64_t receiveBytes{0}; ///< received, if point to point
        uint32_t peer{0};         ///< position of the other rank, if point to point
        uint32_t sequence{0};     ///< number of the operation in the group
        /// Of an uneven all-to-all, the same for all members; bytes is then what it says.
        Ptr<const AllToAllBytes> shares;
        Cause cause;   ///< why it starts now
        Done received; ///< optional: all that is received has arrived
        Done done;     ///< the operation is complete
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    Communicator();
    ~Communicator() override;

    /**
     * @param id of the group, unique among the groups of its ranks
     * @param ranks of the group, in ring order, each once (else std::invalid_argument)
     * @param endpoint of this rank, one of ranks (else std::invalid_argument)
     * @param lanes of collectives, even ones upwards and odd ones downwards in ring order, and
     *        stripes of point-to-point operations; as many at every member, up to MAX_LANES
     */
    void Configure(uint32_t id,
                   RankList ranks,
                   Ptr<MessageEndpoint> endpoint,
                   std::vector<Lane> lanes);

    /**
     * What is sent to a peer, and received from it, has lanes of its own, where circuits lead to
     * peers; collectives by ring lanes excepted.
     * @param peer position of the other rank
     * @param lanes stripes, as many at both ends, 1 to MAX_LANES (else std::invalid_argument)
     */
    void SetPeerLanes(uint32_t peer, std::vector<Lane> lanes);

    /// @param algorithms of the group's collectives, the same at all members; null: the defaults
    void SetAlgorithms(Ptr<const AlgorithmTable> algorithms);

    /**
     * The group's lanes are circuits of a ring: even ones lead to the next member, odd ones to the
     * one before. A collective that needs another peer, which has no lanes of its own, is refused.
     */
    void SetNeighboursOnly();

    /**
     * From now on operations are solved as a whole instead of being run message by message.
     * @param group shared by all members of this group, once each has been configured
     */
    void SetGroup(Ptr<SolvedGroup> group);

    /// @return number of the group, the same at all members
    uint32_t GetId() const;
    /// @return members by position
    const RankList& GetRanks() const;
    /// @return position of this rank in the group
    uint32_t GetPosition() const;

    /// @param totalBytes that every rank has in the end @param done when it is complete
    void AllGather(uint64_t totalBytes, Done done);
    /// @param totalBytes that every rank starts with @param done when it is complete
    void ReduceScatter(uint64_t totalBytes, Done done);
    /// @param bytes that every rank starts and ends with @param done when it is complete
    void AllReduce(uint64_t bytes, Done done);
    /// @param bytes that position 0 has and every rank gets @param done when it is complete
    void Broadcast(uint64_t bytes, Done done);
    /// @param bytes that every rank starts and ends with: equal shares @param done when complete
    void AllToAll(uint64_t bytes, Done done);
    /// @param shares of all members @param done when it is complete
    void AllToAll(Ptr<const AllToAllBytes> shares, Done done);
    /// @param peer position @param bytes to it @param done when its last bit has arrived there
    void Send(uint32_t peer, uint64_t bytes, Done done);
    /// @param peer position @param bytes from it @param done when the last bit has arrived
    void Receive(uint32_t peer, uint64_t bytes, Done done);

    /**
     * @param request an operation with its number
     * @throws std::invalid_argument if it cannot be done here, because of its peer or algorithm
     */
    void Start(Request request);

    /// @return operations that are not complete
    std::size_t GetRunning() const;

  protected:
    void DoDispose() override;

  private:
    class Run;
    class LanesRun;
    class PlannedRun;
    friend class SolvedGroup;

    void CheckLanes(const std::vector<Lane>& lanes) const;
    void Collective(CollectiveKind kind, uint64_t bytes, Done done);
    CollectiveTask MakeTask(const Request& request) const;
    const CollectiveAlgorithm* FindPlanned(const Request& request) const;
    std::vector<Lane> GetLanesTo(uint32_t peer, MemberPlan::Via via) const;
    std::unique_ptr<Run> MakeRun(Request request);
    void Finish(std::list<std::unique_ptr<Run>>::iterator run, const Cause& cause);

    /// For the group: a solved operation is complete.
    void Complete(CollectiveKind kind, const Done& done, const CollectiveResult& result);

    uint32_t m_id{0};
    RankList m_ranks;
    uint32_t m_position{0};
    Ptr<MessageEndpoint> m_endpoint;
    std::vector<Lane> m_lanes;
    std::map<uint32_t, std::vector<Lane>> m_peerLanes; ///< by position, where they differ
    Ptr<const AlgorithmTable> m_algorithms;            ///< null: the defaults
    bool m_neighboursOnly{false};                      ///< lanes lead to nobody else
    uint32_t m_sequence{0};                            ///< of the next collective
    std::map<uint32_t, uint32_t> m_sent;               ///< sends so far, by peer
    std::map<uint32_t, uint32_t> m_received;           ///< receives so far, by peer
    std::list<std::unique_ptr<Run>> m_runs;
    Ptr<SolvedGroup> m_group;
    std::size_t m_solving{0}; ///< operations that the group has got
    TracedCallback<CollectiveKind, uint64_t> m_startTrace;
    TracedCallback<CollectiveKind, const CollectiveResult&> m_doneTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_COMMUNICATOR_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SOLVED_GROUP_H
#define PHOTONIC_SOLVED_GROUP_H

#include "communicator.h"
#include "solved-port.h"

#include <array>
#include <boost/container/flat_map.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief What the communicators of one group share in collective fidelity.
 *
 * An operation is solved as a whole from its members' starts, by the same recurrence that packets
 * on lines of their own obey, so that it ends at the same ticks. It costs an event per tick at
 * which members finish: that event has the context of whichever node started last. Lines have to
 * be there when an operation starts and stay until it is complete. Operations that would mix on a
 * line are a failure that names both.
 *
 * Message by message the traffic of an operation has gaps where a rank waits for a late one; here
 * it is one interval for a collective, from its first bit at the rank to its end.
 */
class SolvedGroup : public SimpleRefCount<SolvedGroup>
{
  public:
    /**
     * A member joins, through Communicator::SetGroup().
     * @param communicator of the member, of the same group as all others (else
     *        std::invalid_argument)
     * @param endpoint of the member
     * @param lanes each with a SolvedPort of its own (else std::invalid_argument)
     */
    void Join(Communicator& communicator,
              Ptr<MessageEndpoint> endpoint,
              const std::vector<Communicator::Lane>& lanes);

    /// @param position of a member that wants to hear no more
    void Leave(uint32_t position);

    /// @param position of the member that starts an operation now @param request the operation
    void Start(uint32_t position, Communicator::Request&& request);

    /// @param other of the same job, with which this one is to share memory for operations
    void ShareMemory(const SolvedGroup& other);

    /// @return for people, which operations wait for which ranks; empty if none does
    std::string DescribeWaiting() const;

  private:
    struct Member
    {
        Communicator* communicator{nullptr};
        Ptr<MessageEndpoint> endpoint;
        std::vector<SolvedPort*> ports; ///< by lane
    };

    /// What a member is to be told at a tick.
    struct Due
    {
        Time at;
        uint32_t position;
        bool received;
        bool done;
    };

    struct Collective;

    /// Operations that are over, whose memory serves the next ones.
    using Pool = std::vector<std::unique_ptr<Collective>>;

    /// Puts an operation that nobody needs any more into its pool.
    struct ToPool
    {
        static void Delete(Collective* collective);
    };

    /// Where a parent is to be named but there is none; ns-3's own changed its name.
    struct NoParent
    {
    };

    /// An operation of all members that some of them have started.
    struct Collective : public SimpleRefCount<Collective, NoParent, ToPool>
    {
        /// A member's part in it.
        struct Part
        {
            /// The member has started it.
            bool started{false};
            Time begin;       ///< once started
            uint64_t sent{0}; ///< bytes, over all lanes
            /// Called when all has been received.
            Communicator::Done received;
            /// Called when all has been sent too.
            Communicator::Done done;
        };

        CollectiveKind kind;
        uint64_t bytes;
        uint32_t sequence;
        uint32_t first; ///< position of the first member to start
        uint32_t known; ///< how many ends are
        CollectiveSolver solver;
        std::vector<Part> parts;    ///< by position
        std::vector<Cause> causes;  ///< by origin
        std::vector<Due> dues;      ///< of all events, those of an event side by side
        std::shared_ptr<Pool> pool; ///< that it returns to
    };

    /// A point-to-point operation of one member.
    struct Exchange
    {
        uint32_t position;
        Communicator::Request request;
        Time received;
        Time done;
        Time firstBit{Time::Max()};
        Time begin;
        IntervalUnion traffic;
        Cause receivedCause;
        Cause doneCause;
    };

    /// A message between two members, once one of them has come to it.
    struct Transfer
    {
        uint64_t bytes{0};
        bool sent{false};
        bool posted{false};
        Time arrival;
        Time firstBit{Time::Max()};
        Cause cause;
        std::shared_ptr<Exchange> receiver; ///< waits for it
    };

    /// Sender, receiver, sequence number.
    using TransferKey = std::array<uint32_t, 3>;

    Ptr<Collective> MakeCollective(const Communicator::Request& request, uint32_t position);
    void StartCollective(uint32_t position, Communicator::Request&& request);
    void Schedule(const Ptr<Collective>& collective, uint32_t self);
    void Tell(Collective& collective, std::size_t first, std::size_t last);
    void Tell(Collective& collective, const Due& due);

    void StartExchange(uint32_t position, Communicator::Request&& request);
    bool SendTransfer(Exchange& exchange);
    bool ReceiveTransfer(const std::shared_ptr<Exchange>& exchange);
    static void Absorb(const Transfer& transfer, Exchange& exchange);
    bool CheckSize(const TransferKey& key, uint64_t sent, uint64_t expected, uint32_t position);
    void Schedule(const std::shared_ptr<Exchange>& exchange);
    void Tell(Exchange& exchange, bool received, bool done);

    bool Claim(uint32_t position, uint32_t lane, uint32_t sequence);
    void Fail(uint32_t position, const std::string& what);
    std::string Rank(uint32_t position) const;
    std::string Name(uint32_t sequence) const;

    uint32_t m_id{0};
    RankList m_ranks;
    std::vector<Member> m_members; ///< by position
    /// By sequence number.
    boost::container::flat_map<uint32_t, Ptr<Collective>> m_collectives;
    std::shared_ptr<Pool> m_pool{std::make_shared<Pool>()};
    std::map<TransferKey, Transfer> m_transfers;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SOLVED_GROUP_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_COLLECTIVE_SOLVER_H
#define PHOTONIC_COLLECTIVE_SOLVER_H

#include "collective-plan.h"

#include "ns3/exact-time.h"

#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief How messages travel along a line that nobody else uses.
 */
struct LineModel
{
    /// Of the line.
    LineRate rate;
    Time propagation;       ///< from end to end
    Time softwareLatency;   ///< before a message is posted
    uint32_t maxPayload{0}; ///< of a packet; 0: messages are not cut into packets
    uint32_t overhead{0};   ///< bytes that a packet occupies the line for beside its payload

    /// @param bytes of a message, above 0 @return how long it occupies the line
    ExactTime Serialise(uint64_t bytes) const;

    /// @param bytes of a message, above 0 @return how long what is received first takes
    ExactTime SerialiseFirst(uint64_t bytes) const;

    /**
     * @param start when the first bit of a message leaves
     * @param first how long what is received first takes, see SerialiseFirst()
     * @return when software says that the first bit arrived
     */
    Time GetFirstBit(const ExactTime& start, const ExactTime& first) const;

    /// @param o another model @return whether they are the same
    bool operator==(const LineModel& o) const
    {
        return rate.GetBitRate() == o.rate.GetBitRate() && propagation == o.propagation &&
               softwareLatency == o.softwareLatency && maxPayload == o.maxPayload &&
               overhead == o.overhead;
    }
};

/**
 * @ingroup photonic-rails-collectives
 * @brief When a ring collective ends at each member, from when each member starts.
 *
 * Send s of a lane starts at the latest of: the line is free (exactly), the receives that it needs
 * have arrived (a tick), its rank has started. It arrives one serialisation and one propagation
 * later, rounded up to a tick. This is a recurrence of maxima and sums, so that the order in which
 * it is evaluated does not matter: each start is followed as far round the ring as it leads. An
 * end becomes known when the last start that it depends on is, and never lies before that.
 *
 * If every rank sends in every step, all of them take one step after another (RingRounds), which
 * comes to the same and is faster.
 */
class CollectiveSolver
{
  public:
    /// How ends are found: in general, or fast.
    enum class Method
    {
        STARTS, ///< each start is followed as far as it leads
        ROUNDS, ///< all ranks step by step
    };

    /// How the operation ends at a member.
    struct End
    {
        Time received;           ///< all that it receives has arrived
        Time done;               ///< and all that it sends has arrived at the peer
        Time firstBit;           ///< first bit at one of its lines; Time::Max() if there is none
        uint32_t receivedOrigin; ///< what received depends on, see GetOrigins()
        uint32_t doneOrigin;     ///< what done depends on
    };

    /// How the operation leaves a member's line.
    struct LineEnd
    {
        /// Exact time from which the line is idle.
        ExactTime free;
        Time lastPost;   ///< when the last message was posted
        uint32_t origin; ///< what made the line busy, see GetOrigins()
    };

    /**
     * Begin with an operation, and forget the one before, if any.
     * @param kind ALL_GATHER, REDUCE_SCATTER, ALL_REDUCE or BROADCAST
     * @param bytes total
     * @param n members
     * @param lanes at least 1
     */
    void Begin(CollectiveKind kind, uint64_t bytes, uint32_t n, uint32_t lanes);

    /// @param method the fastest that may be used, so that methods can be compared
    void SetFastest(Method method);

    /**
     * To be called for all lanes before the member's Start().
     * @param lane of the line @param position of the sender
     * @param model of the line, which has to outlive this @param free when it is free
     */
    void SetLine(uint32_t lane, uint32_t position, const LineModel& model, const ExactTime& free);

    /// @param position of the member which starts @param start when, not before earlier calls
    void Start(uint32_t position, Time start);

    /// @return positions whose ends have become known with the last Start()
    const std::vector<uint32_t>& GetKnown() const;

    /// @param position whose end is known @return its end
    const End& GetEnd(uint32_t position) const;

    /// @param lane of a line @param position whose end is known @return the state of its line
    const LineEnd& GetLineEnd(uint32_t lane, uint32_t position) const;

    /// @param lane index @return the ring that it makes
    const RingLane& GetLane(uint32_t lane) const;

    /// @return how ends have been found
    Method GetMethod() const;

    /**
     * Origins below n are the starts of members, n + lane x n + position is what had made a line
     * busy before the operation.
     * @return number of different origins
     */
    uint32_t GetOrigins() const;

  private:
    struct Arrival
    {
        int64_t tick;
        uint32_t origin;
    };

    /// A member's part of a lane.
    struct Flow
    {
        const LineModel* model{nullptr};
        bool common{false}; ///< its model is the one that the lane has durations of
        bool started{false};
        bool complete{false};
        uint32_t sent{0};
        uint32_t received{0};
        Arrival ready{};                 ///< the latest of the start and the receives so far
        Arrival arrived{};               ///< of the last send, at the peer
        bool heard{false};               ///< something has been sent to it
        Time firstBit{Time::Max()};      ///< that passed here
        std::size_t head{0};             ///< first of the arrivals that is not received
        std::vector<Arrival> arrivals{}; ///< that have been sent
        LineEnd line{};
    };

    struct Lane
    {
        RingLane ring;
        std::vector<Flow> flows; ///< by position
        const LineModel* model;  ///< of the first flow that was prepared
        ExactTime duration[2];   ///< of a chunk of the smaller and of the larger size
        ExactTime first[2];      ///< of what is received first of such a chunk
    };

    void Prepare(Lane& lane, uint32_t position);
    void Follow(Lane& lane, uint32_t position);
    bool Advance(Lane& lane, uint32_t position);
    void Send(Lane& lane, uint32_t position);
    bool SolveRounds();
    void RunRounds(Lane& lane);
    void Conclude(uint32_t position);

    uint32_t m_n{0};
    std::vector<Lane> m_lanes;
    bool m_needsAll{true}; ///< no end lies before the last start
    Method m_fastest{Method::ROUNDS};
    Method m_method{Method::STARTS};
    uint32_t m_started{0};
    std::vector<Time> m_starts; ///< Time::Max(): has not started
    std::vector<End> m_ends;
    std::vector<uint32_t> m_known;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_COLLECTIVE_SOLVER_H

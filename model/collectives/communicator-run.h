/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_COMMUNICATOR_RUN_H
#define PHOTONIC_COMMUNICATOR_RUN_H

#include "collective-algorithm.h"
#include "communicator.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief One operation of a communicator under way.
 */
class Communicator::Run
{
  public:
    /// @param communicator whose operation it is @param request the operation
    Run(Communicator& communicator, Request request);
    virtual ~Run() = default;

    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    /// @param self where the communicator keeps this run
    void Start(std::list<std::unique_ptr<Run>>::iterator self);

    /// @return what was asked for
    const Request& GetRequest() const
    {
        return m_request;
    }

    /// @param cause why it ends now @return how
    CollectiveResult GetResult(const Cause& cause) const
    {
        return {cause, std::min(m_firstBit, Simulator::Now()), m_sent, m_traffic};
    }

  protected:
    /// @return whether it is a send, a receive or both
    bool IsPointToPoint() const
    {
        return m_request.kind >= CollectiveKind::SEND;
    }

    /// @param lane of a transfer @param step number of it @return what both of its ends call it
    MessageKey GetKey(uint32_t lane, uint32_t step) const;

    /// Send a message. @param to rank @param ports of the lane @param key of it @param bytes of it
    /// @param cause why now
    void Send(uint32_t to,
              const Lane& ports,
              const MessageKey& key,
              uint64_t bytes,
              const Cause& cause)
    {
        m_sent += bytes;
        m_endpoint->Send(to,
                         ports.localPort,
                         ports.remotePort,
                         key,
                         bytes,
                         cause,
                         [this](const Message& message) {
                             m_sendsLeft--;
                             SeeBits(message, message.firstBit);
                             CheckDone(message.cause);
                         });
    }

    /// Bits of a message passed. An empty one has none. @param message which
    /// @param firstBit when its first bit arrived
    void SeeBits(const Message& message, Time firstBit)
    {
        if (message.bytes > 0)
        {
            m_firstBit = std::min(m_firstBit, firstBit);
            m_traffic.Add(std::max(firstBit, m_begin), message.lastBit);
        }
    }

    /// Count a receive that is complete. @param cause of its end
    void CheckReceived(const Cause& cause)
    {
        if (m_receivesLeft == 0 && m_request.received)
        {
            Done received = std::move(m_request.received);
            m_request.received = nullptr;
            received(GetResult(cause));
        }
    }

    /// Deletes this if the operation is over. @param cause of that
    void CheckDone(const Cause& cause)
    {
        if (m_receivesLeft == 0 && m_sendsLeft == 0 && !m_busy && !m_finished)
        {
            m_finished = true;
            m_communicator.Finish(m_self, cause); // deletes this
        }
    }

    /// That it belongs to.
    Communicator& m_communicator;
    /// Of this rank.
    MessageEndpoint* m_endpoint;
    /// What was asked for.
    Request m_request;
    /// Receives that are not complete.
    std::size_t m_receivesLeft{0};
    std::size_t m_sendsLeft{0}; ///< those whose last bit has not arrived
    bool m_busy{false};         ///< callbacks of this very moment are not looked into

  private:
    /// Start what may start at once.
    virtual void Begin() = 0;

    uint64_t m_sent{0};
    Time m_begin{Simulator::Now()};
    Time m_firstBit{Time::Max()};
    bool m_finished{false};
    IntervalUnion m_traffic;
    std::list<std::unique_ptr<Run>>::iterator m_self;
};

/**
 * @ingroup photonic-rails-collectives
 * @brief The executor of LanePlans.
 */
class Communicator::LanesRun : public Communicator::Run
{
  public:
    /// @param communicator that it belongs to @param request what was asked for
    LanesRun(Communicator& communicator, Request request);

  private:
    /// A lane of the operation, with all that it needs of the communicator.
    struct LaneRun
    {
        MessageKey GetKey(uint32_t step) const
        {
            return {key.communicator, key.sequence, key.step | step};
        }

        LanePlan plan;
        Lane ports;
        uint32_t to;   ///< rank
        uint32_t from; ///< rank
        MessageKey key;
        uint32_t received{0}; ///< receives complete
        uint32_t sent{0};     ///< sends started
        bool waiting{false};  ///< a receive is posted
    };

    void Begin() override;
    const std::vector<Lane>& GetPorts() const;
    LanePlan Plan(uint32_t lanes, uint32_t lane) const;

    /// Start what may start in a lane.
    void Progress(LaneRun& lane, const Cause& cause)
    {
        const auto& plan = lane.plan;
        do
        {
            while (lane.sent < plan.GetSends() && plan.GetNeeded(lane.sent) <= lane.received)
            {
                const uint32_t number = lane.sent++;
                Send(lane.to, lane.ports, lane.GetKey(number), plan.GetSendBytes(number), cause);
            }
            if (lane.waiting || lane.received == plan.GetReceives())
            {
                return;
            }
            lane.waiting = true;
            m_endpoint->Receive(lane.from,
                                lane.GetKey(lane.received),
                                plan.GetReceiveBytes(lane.received),
                                [this, &lane](const Message& message, Time firstBit) {
                                    Received(lane, message, firstBit);
                                });
            // Data that had arrived early is there already: go on.
        } while (!lane.waiting);
    }

    void Received(LaneRun& lane, const Message& message, Time firstBit)
    {
        lane.waiting = false;
        lane.received++;
        m_receivesLeft--;
        SeeBits(message, firstBit);
        if (m_busy)
        {
            return; // within Progress(), which goes on
        }
        const Cause cause = message.cause;
        m_busy = true;
        Progress(lane, cause);
        m_busy = false;
        CheckReceived(cause);
        CheckDone(cause);
    }

    std::vector<LaneRun> m_lanes;
};

/**
 * @ingroup photonic-rails-collectives
 * @brief The executor of a MemberPlan. A transfer is striped over the lanes that it takes: it is
 * complete when all stripes are.
 */
class Communicator::PlannedRun : public Communicator::Run
{
  public:
    /**
     * @param communicator whose operation it is @param request the operation
     * @param algorithm that makes the plan
     * @throws std::invalid_argument if it does not serve the kind, or has no lane to a peer
     */
    PlannedRun(Communicator& communicator, Request request, const CollectiveAlgorithm& algorithm);

  private:
    struct Stream
    {
        uint32_t received{0}; ///< receives complete
        uint32_t pending{0};  ///< stripes of the present one that have not arrived
    };

    void Begin() override;
    const std::vector<Lane>& GetLanes(uint32_t peer, MemberPlan::Via via) const;
    void CheckTransfer(uint32_t peer,
                       uint32_t number,
                       MemberPlan::Via via,
                       const CollectiveAlgorithm& algorithm);
    void Progress(const Cause& cause);
    bool IsReady(const MemberPlan::Send& send) const;
    void Send(const MemberPlan::Send& send, const Cause& cause);
    bool Receive(std::size_t stream);
    void Received(std::size_t stream, const Message& message, Time firstBit);

    MemberPlan m_plan;
    std::map<uint32_t, std::vector<Lane>> m_ways[3]; ///< by MemberPlan::Via and peer
    std::vector<Stream> m_streams;
    std::vector<std::size_t> m_next; ///< by queue, the send that is next
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_COMMUNICATOR_RUN_H

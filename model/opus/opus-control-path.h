/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPUS_CONTROL_PATH_H
#define PHOTONIC_OPUS_CONTROL_PATH_H

#include "control-faults.h"
#include "control-stream.h"
#include "opus-message.h"

#include "ns3/cause.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief How messages get from shims to the controller and back.
 *
 * Messages between a rank and the controller arrive in the order in which they were sent, once
 * each. A network that does not do so by itself needs RetransmissionTimeout; without it a message
 * that is lost is a failure, which ends the run by name.
 */
class OpusControlPath : public Object
{
  public:
    /// Gets a message and why it was sent.
    using Receiver = std::function<void(const OpusMessage&, const Cause&)>;
    /// Gets a sentence that says what went wrong.
    using Failure = std::function<void(const std::string&)>;

    /// Which way a message goes.
    enum Direction
    {
        TO_CONTROLLER,
        TO_RANK,
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    OpusControlPath();
    ~OpusControlPath() override;

    /// @param receiver of messages to the controller
    void SetControllerReceiver(Receiver receiver);
    /// @param rank which @param receiver of messages to its shim
    void SetRankReceiver(uint32_t rank, Receiver receiver);

    /// @param failure called at most once per fault; by default the program aborts
    void SetFailure(Failure failure);

    /// @param message with the sender in its rank @param cause why it is sent
    void SendToController(const OpusMessage& message, const Cause& cause);

    /// @param message with the receiver in its rank @param cause why it is sent
    void SendToRank(const OpusMessage& message, const Cause& cause);

    /**
     * Send several messages at once: all are on their way before any arrives.
     * @param messages with the receivers in their ranks
     * @param cause why they are sent
     */
    void SendToRanks(const std::vector<OpusMessage>& messages, const Cause& cause);

    /**
     * The controller stops: what is under way to it is lost, until StartController().
     * @throws std::logic_error if messages are not repeated
     */
    void StopController();
    /// The controller starts, and knows nothing: messages of old are not delivered.
    void StartController();

    /// A rank is no more: nothing comes from it or gets to it. @param rank which
    void StopRank(uint32_t rank);

    /// @param lost called once with a rank that does not answer, and a sentence that says so; not
    /// set: that is a failure
    void SetRankLost(std::function<void(uint32_t, const std::string&)> lost);

    /// @return whether messages are repeated until they arrive
    bool IsReliable() const;
    /// @return messages that nobody has acknowledged
    std::size_t GetUnacknowledged() const;
    /// @return messages that were sent again
    uint64_t GetRepetitions() const;

    /// @return whether messages, and their service at the controller, take simulated time
    virtual bool TakesTime() const = 0;

    /// @return messages sent, both ways
    uint64_t GetMessages() const;

    /// End the run. @param reason a sentence
    void Fail(const std::string& reason);

    /// Trace of messages, at the sender and at the receiver.
    typedef void (*MessageTracedCallback)(const OpusMessage& message, Direction direction);
    /// Trace of faults: the message, and "lost", "late" or "twice".
    typedef void (*FaultTracedCallback)(const OpusMessage& message, const std::string& what);

  protected:
    void DoDispose() override;

    /// Transport a message and Deliver() it, in a later event or in DoFlush().
    /// @param message which @param direction of it @param cause of it
    virtual void DoSend(const OpusMessage& message, Direction direction, const Cause& cause) = 0;

    /// Everything that is to be sent at once has been.
    virtual void DoFlush();

    /// Hand a message to its receiver.
    /// @param message which @param direction of it @param cause of its arrival
    void Deliver(const OpusMessage& message, Direction direction, const Cause& cause);

    /// A message does not arrive. @param what went wrong, a sentence
    void Lose(const std::string& what);

  private:
    /// By rank and direction.
    using Streams = std::map<std::pair<uint32_t, Direction>, std::unique_ptr<ControlStream>>;

    void Send(const OpusMessage& message, Direction direction, const Cause& cause);
    void Transmit(const OpusMessage& message, Direction direction, const Cause& cause);
    void Hand(const OpusMessage& message, Direction direction, const Cause& cause);
    bool IsStopped(uint32_t rank) const;
    bool IsCut(const OpusMessage& message, Direction direction) const;
    ControlStream& GetStream(uint32_t rank, Direction direction);
    void GiveUp(const OpusMessage& message, Direction direction, Time since);

    Receiver m_controller;
    std::vector<Receiver> m_ranks; ///< by rank
    Failure m_failure;
    uint64_t m_messages{0};
    Time m_timeout;
    uint32_t m_retries;
    Ptr<ControlFaults> m_faults;
    Streams m_streams;
    uint32_t m_session{1};
    bool m_controllerStopped{false};
    std::vector<bool> m_rankStopped;
    std::function<void(uint32_t, const std::string&)> m_rankLost;
    TracedCallback<const OpusMessage&, Direction> m_sendTrace;
    TracedCallback<const OpusMessage&, const std::string&> m_faultTrace;
    TracedCallback<const OpusMessage&, Direction> m_receiveTrace;
};

/**
 * @ingroup photonic-rails-opus
 * @brief Messages arrive in the call that sends them. For closed forms.
 *
 * What is sent while a message is being delivered follows after it, so that the order is that of a
 * network without delay.
 */
class OpusInstantPath : public OpusControlPath
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();
    bool TakesTime() const override;

  private:
    /// A message on its way.
    struct Sent
    {
        OpusMessage message;
        Direction direction;
        Cause cause;
    };

    void DoDispose() override;
    void DoSend(const OpusMessage& message, Direction direction, const Cause& cause) override;
    void DoFlush() override;

    std::deque<Sent> m_sent;
    bool m_delivering{false};
};

/**
 * @ingroup photonic-rails-opus
 * @brief What the front-end network costs: the common part of the two paths that take time.
 *
 * A star: every rank and the controller have a link to a router, which stores and forwards.
 */
class OpusTimedPath : public OpusControlPath
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();
    bool TakesTime() const override;

  protected:
    /// @return one way, without serialisation
    Time GetControlDelay() const;
    /// @return of the links of the front-end network
    DataRate GetRate() const;

    /// @param payload bytes of a UDP datagram @return how long it takes on a link
    Time GetTxTime(uint32_t payload) const;

  private:
    Time m_controlDelay;
    DataRate m_rate;
};

/**
 * @ingroup photonic-rails-opus
 * @brief A message takes as long as a lone one on the front-end network, and is one event at most.
 */
class OpusDelayPath : public OpusTimedPath
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  private:
    void DoDispose() override;
    void DoSend(const OpusMessage& message, Direction direction, const Cause& cause) override;
    void Arrive();

    struct Sent
    {
        OpusMessage message;
        Direction direction;
        Cause cause;
    };

    /// By time of arrival; those of one tick share an event.
    std::map<Time, std::vector<Sent>> m_underWay;

    /// Latest arrival of what was sent so far: a short message does not overtake a long one.
    std::vector<std::array<Time, 2>> m_arrival; ///< by rank and direction
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPUS_CONTROL_PATH_H

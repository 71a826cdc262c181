/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CONTROL_STREAM_H
#define PHOTONIC_CONTROL_STREAM_H

#include "opus-message.h"

#include "ns3/cause.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief Messages from a rank to the controller, or back, in order and once each, over a network
 * that loses, delays, reorders and duplicates them.
 *
 * Messages are numbered in a session and repeated until they are acknowledged, after a time that
 * doubles with each try. A session ends when the controller restarts: what was under way belongs to
 * nobody then. Both ends are here; each uses its own half.
 */
class ControlStream
{
  public:
    /// A message and why it was sent.
    using Sent = std::pair<OpusMessage, Cause>;

    /// What a stream needs of its surroundings.
    struct Settings
    {
        /// Of the first repetition.
        Time timeout;
        /// Repetitions of a message before the other end is given up.
        uint32_t retries;
        /// Puts a message on the network.
        std::function<void(const OpusMessage&, const Cause&)> transmit;
        /// Gets a message that was repeated often enough, and since when.
        std::function<void(const OpusMessage&, Time)> giveUp;
    };

    /// @param settings of the stream
    explicit ControlStream(Settings settings);
    ~ControlStream();

    ControlStream(const ControlStream&) = delete;
    ControlStream& operator=(const ControlStream&) = delete;

    /// The sender sends. @param message to be numbered @param cause of it
    void Send(const OpusMessage& message, const Cause& cause);

    /// The sender hears from the receiver. @param session of it @param next sequence expected there
    void HandleAck(uint32_t session, uint32_t next);

    /// The sender starts to count anew. @param session later than the present one, or the same
    void StartSending(uint32_t session);

    /// The sender is no more: nothing is repeated.
    void Stop();

    /**
     * A message arrives at the receiver.
     * @param message numbered @param cause of it
     * @return messages that are due now, in order; to be acknowledged by GetAck()
     */
    std::vector<Sent> Receive(const OpusMessage& message, const Cause& cause);

    /// The receiver waits for another session. @param session later than the present one
    void StartReceiving(uint32_t session);

    /// @param rank at one end @return what the receiver tells the sender
    OpusMessage GetAck(uint32_t rank) const;

    /// @return messages that are not acknowledged
    std::size_t GetUnacknowledged() const;

    /// @return messages sent again
    uint64_t GetRepetitions() const;

  private:
    void Arm();
    void Repeat();

    const Settings m_settings;
    // sender
    uint32_t m_sendSession{1};
    uint32_t m_nextSequence{1};
    std::deque<Sent> m_unacknowledged;
    Time m_oldest; ///< when the first of these was sent, or became the first
    uint32_t m_tries{0};
    uint64_t m_repetitions{0};
    EventId m_timer;
    // receiver
    uint32_t m_session{1};
    uint32_t m_expected{1};
    std::map<uint32_t, Sent> m_early; ///< by sequence
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CONTROL_STREAM_H

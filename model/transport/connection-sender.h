/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CONNECTION_SENDER_H
#define PHOTONIC_CONNECTION_SENDER_H

#include "ns3/nstime.h"

#include <cstdint>
#include <deque>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief What is sent again when a packet of a reliable connection is lost.
 */
struct Retransmission
{
    /// What is sent again.
    enum Scheme
    {
        NONE,             ///< nothing: the loss is the end of the connection
        GO_BACK_N,        ///< it and all after it, as IBTA volume 1, 9.7.5 has it
        SELECTIVE_REPEAT, ///< it alone, as IRN does (Mittal et al. 2018)
    };
};

/**
 * @ingroup photonic-rails-transport
 * @brief The sending side of a reliable connection: which packet is next.
 *
 * It knows numbers and times, not packets. Packets are counted in 64 bits from the first of the
 * connection; on the wire a number has 24.
 *
 * What is presumed lost is a range: with go-back-N all that was sent from the gap on, with
 * selective repeat what is below the highest packet that is known to have arrived and is not known
 * to have arrived itself, and with both all that is outstanding when the timer expires. The range
 * is sent again once, before anything new.
 */
class ConnectionSender
{
  public:
    /// Limits. All but the scheme are above 0.
    struct Settings
    {
        /// What is sent again.
        Retransmission::Scheme scheme{Retransmission::GO_BACK_N};
        uint32_t window{256};  ///< packets from the first that is not acknowledged
        uint32_t askEvery{16}; ///< packets for which one acknowledgement is asked, at most
        Time timeout;          ///< doubled with every expiry in a row
        uint32_t retries{7};   ///< expiries in a row before it gives up
    };

    /// A packet to be sent.
    struct Next
    {
        uint64_t packet; ///< its number
        bool again;      ///< it was sent before
        bool ask;        ///< for an acknowledgement
    };

    /// What an acknowledgement has told.
    struct Progress
    {
        uint64_t packets{0};         ///< acknowledged that were not before
        Time roundTrip{Time::Min()}; ///< if it could be measured
        bool loss{false};            ///< something is presumed lost that was not before

        /// @return whether a round trip was measured
        bool HasRoundTrip() const
        {
            return roundTrip != Time::Min();
        }
    };

    /// @param settings limits
    explicit ConnectionSender(const Settings& settings);

    /// @param packets that are to be sent behind all others
    void Post(uint64_t packets);

    /// @param window of congestion control, in packets @return whether a packet may be sent
    bool HasNext(uint32_t window) const;

    /// @param start when it is sent @param window as in HasNext()
    /// @return the next packet, if HasNext()
    Next Take(Time start, uint32_t window);

    /// All packets up to one have arrived. @param sequence its number, 24 bits @param now when
    /// @return what that has told
    Progress Acknowledge(uint32_t sequence, Time now);

    /// All packets before one have arrived, and then another. @param sequence 24 bits
    /// @param now when @return what that has told
    Progress Miss(uint32_t sequence, Time now);

    /// The same, and which other. @param sequence 24 bits @param arrived 24 bits
    /// @param now when @return what that has told
    Progress Select(uint32_t sequence, uint32_t arrived, Time now);

    /// @return when the timer expires; Time::Max() if it does not run
    Time GetDeadline() const
    {
        return m_deadline;
    }

    /// The timer has expired. @param now when @return whether there is a further try
    bool Expire(Time now);

    /// @return the first packet that is not acknowledged
    uint64_t GetFirst() const
    {
        return m_first;
    }

    /// @return whether there are packets that have never been sent
    bool HasUnsent() const
    {
        return m_highest < m_end;
    }

    /// @return limits
    const Settings& GetSettings() const
    {
        return m_settings;
    }

  private:
    /// An outstanding packet.
    struct Sent
    {
        Time at;
        bool again;
        bool arrived; ///< known to have, though one before it is missing
    };

    uint64_t Widen(uint32_t sequence) const;
    uint64_t GetNext() const;
    void AdvanceTo(uint64_t first, Time now, Progress& progress);
    void Repeat(uint64_t end);
    void SkipArrived();

    Settings m_settings;
    uint64_t m_first{0};     ///< not acknowledged
    uint64_t m_highest{0};   ///< never sent, nor any after it
    uint64_t m_end{0};       ///< not posted, nor any after it
    uint64_t m_repeat{0};    ///< the first that is presumed lost, if it is below the next one
    uint64_t m_repeatEnd{0}; ///< end of what is presumed lost
    std::deque<Sent> m_sent; ///< from m_first to m_highest
    uint32_t m_unasked{0};   ///< sent since an acknowledgement was asked for
    bool m_ask{false};       ///< ask for one with the next packet
    uint32_t m_expiries{0};  ///< in a row
    Time m_deadline{Time::Max()};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CONNECTION_SENDER_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CONNECTION_RECEIVER_H
#define PHOTONIC_CONNECTION_RECEIVER_H

#include "connection-sender.h"

#include <optional>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief The receiving side of a reliable connection: what is new, and what is missing.
 */
class ConnectionReceiver
{
  public:
    /// What a packet has brought.
    struct Arrival
    {
        /// Number of the operation in its communicator.
        uint32_t operation;
        /// Number of the transfer within the operation.
        uint32_t step;
        uint64_t bytes; ///< of the whole message
        /// Bytes of the packet that belong to the message.
        uint32_t payload;
        Time firstBit; ///< of the packet
    };

    /// What becomes of a packet.
    enum class Verdict
    {
        IN_ORDER,       ///< the one expected; those of TakeKept() follow it
        KEPT,           ///< ahead of the one expected, and kept
        DUPLICATE,      ///< was in order before
        DUPLICATE_KEPT, ///< is kept already
        GAP,            ///< ahead and dropped, the first since one is missing
        DROPPED,        ///< ahead and dropped
    };

    /**
     * @param scheme of the sender @param window of the sender
     * @param tolerance how many packets beyond a gap may arrive before it is reported
     */
    ConnectionReceiver(Retransmission::Scheme scheme, uint32_t window, uint32_t tolerance = 0);

    /// @param sequence number of the packet, 24 bits @param arrival what it has brought
    /// @return what becomes of it
    Verdict Receive(uint32_t sequence, const Arrival& arrival);

    /// @param arrival set to the next in order, if it is here @return whether it is
    bool TakeKept(Arrival& arrival);

    /**
     * After KEPT: what the sender is to be told of. A packet is reported once, when one arrives
     * that is the tolerance beyond it: what is missing below a report is farther behind than that.
     * @param sequence set to the next kept packet to be reported, 24 bits @return whether there is
     */
    bool TakeReport(uint32_t& sequence);

    /// @return number of the packet expected, 24 bits
    uint32_t GetExpected() const
    {
        return m_expected;
    }

  private:
    Verdict ReceiveAhead(uint32_t ahead, const Arrival& arrival);
    void Step();

    Retransmission::Scheme m_scheme;
    uint32_t m_window;
    uint32_t m_expected{0};
    bool m_missing{false};                     ///< and a negative acknowledgement was due
    std::deque<std::optional<Arrival>> m_kept; ///< from m_expected on
    uint32_t m_tolerance;
    uint32_t m_reported{0};         ///< of m_kept: those before it that are here were reported
    std::deque<uint32_t> m_reports; ///< to be taken
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CONNECTION_RECEIVER_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SWITCH_BUFFER_H
#define PHOTONIC_SWITCH_BUFFER_H

#include "ns3/exact-time.h"
#include "ns3/nstime.h"
#include "ns3/traffic-label.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-electronics
 * @brief The bytes of a memory that all ports of a switch share.
 *
 * Every packet is charged to the account of a port and a priority: of a lossless priority to the
 * port where it came in, since that is whom a pause can stop (IEEE 802.1Qbb), else to the port
 * where it goes out. An account has a minimum of its own; beyond it it takes from the shared pool,
 * up to the dynamic threshold: alpha times what is free of the pool (Choudhury and Hahne 1998).
 * Lossless accounts have headroom besides, for what still comes when they have asked for a pause.
 */
class SwitchBuffer
{
  public:
    /// Sizes and thresholds, in bytes.
    struct Settings
    {
        uint64_t bytesPerPort; ///< of the memory
        uint64_t minimum;      ///< of each account
        double alpha;          ///< of the dynamic threshold
        uint64_t resumeOffset; ///< below the threshold at which a pause ends
        uint8_t lossless;      ///< a bit for each lossless priority
    };

    /// @param settings as stated there
    explicit SwitchBuffer(const Settings& settings);

    /**
     * What may arrive after a pause was asked for: the packet ahead of the pause frame, the pause
     * frame, the reaction, the packet that the peer has begun, and what is on the cable.
     * @param rate of the line @param propagation of the fibre
     * @param frameBytes line bytes of the largest packet
     * @param response quanta that a peer may take to react
     * @return bytes
     */
    static uint64_t GetHeadroom(const LineRate& rate,
                                Time propagation,
                                uint64_t frameBytes,
                                uint64_t response);

    /**
     * @param headroom of each lossless account of the new port
     * @throws std::invalid_argument if what is reserved leaves no pool to share
     */
    void AddPort(uint64_t headroom);

    /// @param port where an account is @param priority of the account @return its number
    static uint32_t GetAccount(uint32_t port, uint8_t priority)
    {
        return port * PRIORITIES + priority;
    }

    /// @param priority one of them @return whether it is lossless
    bool IsLossless(uint8_t priority) const
    {
        return m_settings.lossless >> priority & 1;
    }

    /// @param account number @param bytes of a packet
    /// @return whether it stays below the account's threshold
    bool Fits(uint32_t account, uint64_t bytes) const;

    /**
     * Charge a packet, to the headroom if it does not fit.
     * @param account number @param bytes of the packet
     * @return whether there was room; else nothing has changed
     */
    bool Admit(uint32_t account, uint64_t bytes);

    /// Give back what was admitted. @param account number @param bytes of the packet
    void Release(uint32_t account, uint64_t bytes);

    /// @param account number
    /// @return whether it has come down far enough for its pause to end
    bool CanResume(uint32_t account) const;

    /// @return bytes that an account may take from the pool at present
    uint64_t GetThreshold() const;
    /// @return bytes that nobody has a reservation for
    uint64_t GetPool() const;
    /// @param account number @return its bytes, headroom included
    uint64_t GetUsed(uint32_t account) const;
    /// @return bytes of all accounts
    uint64_t GetTotalUsed() const;

  private:
    struct Account
    {
        uint64_t used{0};     ///< minimum and pool
        uint64_t overflow{0}; ///< headroom
        uint64_t headroom{0};
    };

    uint64_t GetShared(uint64_t used) const
    {
        return used > m_settings.minimum ? used - m_settings.minimum : 0;
    }

    Settings m_settings;
    std::vector<Account> m_accounts;
    int64_t m_pool{0};    ///< below 0: more is reserved than there is
    uint64_t m_shared{0}; ///< of the pool, in use
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SWITCH_BUFFER_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "switch-buffer.h"

#include "ns3/pause-header.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

__extension__ typedef unsigned __int128 Wide;

} // namespace

SwitchBuffer::SwitchBuffer(const Settings& settings)
    : m_settings(settings)
{
}

uint64_t
SwitchBuffer::GetHeadroom(const LineRate& rate,
                          Time propagation,
                          uint64_t frameBytes,
                          uint64_t response)
{
    const Wide denominator = 8 * Wide(Seconds(1).GetTimeStep());
    const Wide bits = 2 * Wide(propagation.GetTimeStep()) * rate.GetBitRate();
    const auto cable = static_cast<uint64_t>((bits + denominator - 1) / denominator);
    return cable + 2 * frameBytes + PauseHeader::LINE_BYTES + response * PauseHeader::QUANTUM_BYTES;
}

void
SwitchBuffer::AddPort(uint64_t headroom)
{
    uint64_t reserved = 0;
    for (uint8_t priority = 0; priority < PRIORITIES; priority++)
    {
        Account account;
        account.headroom = IsLossless(priority) ? headroom : 0;
        reserved += m_settings.minimum + account.headroom;
        m_accounts.push_back(account);
    }
    m_pool += static_cast<int64_t>(m_settings.bytesPerPort) - static_cast<int64_t>(reserved);
    if (m_pool <= 0)
    {
        throw std::invalid_argument(
            "a switch port has a share of " + std::to_string(m_settings.bytesPerPort) +
            " bytes of the buffer, and reserves " + std::to_string(reserved) +
            " of them (minima, and headroom for rate, cable and MTU): nothing is left to share");
    }
}

bool
SwitchBuffer::Fits(uint32_t account, uint64_t bytes) const
{
    const uint64_t used = m_accounts[account].used;
    const uint64_t after = GetShared(used + bytes);
    return after <= GetThreshold() &&
           m_shared + after - GetShared(used) <= static_cast<uint64_t>(m_pool);
}

bool
SwitchBuffer::Admit(uint32_t account, uint64_t bytes)
{
    Account& a = m_accounts[account];
    if (Fits(account, bytes))
    {
        m_shared += GetShared(a.used + bytes) - GetShared(a.used);
        a.used += bytes;
        return true;
    }
    if (a.overflow + bytes <= a.headroom)
    {
        a.overflow += bytes;
        return true;
    }
    return false;
}

void
SwitchBuffer::Release(uint32_t account, uint64_t bytes)
{
    Account& a = m_accounts[account];
    const uint64_t overflow = std::min(a.overflow, bytes);
    a.overflow -= overflow;
    bytes -= overflow;
    m_shared -= GetShared(a.used) - GetShared(a.used - bytes);
    a.used -= bytes;
}

bool
SwitchBuffer::CanResume(uint32_t account) const
{
    const Account& a = m_accounts[account];
    const uint64_t shared = GetShared(a.used);
    return a.overflow == 0 && (shared == 0 || shared + m_settings.resumeOffset <= GetThreshold());
}

uint64_t
SwitchBuffer::GetThreshold() const
{
    return static_cast<uint64_t>(m_settings.alpha * (m_pool - static_cast<int64_t>(m_shared)));
}

uint64_t
SwitchBuffer::GetPool() const
{
    return m_pool;
}

uint64_t
SwitchBuffer::GetUsed(uint32_t account) const
{
    return m_accounts.at(account).used + m_accounts.at(account).overflow;
}

uint64_t
SwitchBuffer::GetTotalUsed() const
{
    uint64_t total = 0;
    for (const auto& account : m_accounts)
    {
        total += account.used + account.overflow;
    }
    return total;
}

} // namespace photonic
} // namespace ns3

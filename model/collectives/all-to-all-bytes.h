/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_ALL_TO_ALL_BYTES_H
#define PHOTONIC_ALL_TO_ALL_BYTES_H

#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief What each member of a group has for each other one: the sizes of an uneven all-to-all.
 *
 * All members of an operation share one table, as a mixture of experts has it from its router. What
 * a member has for itself (the diagonal) stays where it is.
 */
class AllToAllBytes : public SimpleRefCount<AllToAllBytes>
{
  public:
    /// @param n members; all sizes are 0
    explicit AllToAllBytes(uint32_t n)
        : m_n(n),
          m_bytes(std::size_t(n) * n)
    {
    }

    /// @return number of members
    uint32_t GetN() const
    {
        return m_n;
    }

    /// @param from position of the sender @param to position of the receiver @param bytes for it
    void Set(uint32_t from, uint32_t to, uint64_t bytes)
    {
        m_bytes.at(std::size_t(from) * m_n + to) = bytes;
    }

    /// @param from position of the sender @param to position of the receiver @return bytes for it
    uint64_t Get(uint32_t from, uint32_t to) const
    {
        return m_bytes[std::size_t(from) * m_n + to];
    }

    /// @param from position @return bytes that it has in the beginning, those for itself included
    uint64_t GetTotal(uint32_t from) const
    {
        uint64_t total = 0;
        for (uint32_t to = 0; to < m_n; to++)
        {
            total += Get(from, to);
        }
        return total;
    }

    /// @return the largest GetTotal(), by which all members choose the same algorithm
    uint64_t GetLargestTotal() const
    {
        uint64_t largest = 0;
        for (uint32_t from = 0; from < m_n; from++)
        {
            const uint64_t total = GetTotal(from);
            largest = total > largest ? total : largest;
        }
        return largest;
    }

  private:
    uint32_t m_n;
    std::vector<uint64_t> m_bytes; ///< by sender, then by receiver
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_ALL_TO_ALL_BYTES_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optical-frame.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

uint64_t
ToInteger(Mac48Address address)
{
    uint8_t bytes[6];
    address.CopyTo(bytes);
    uint64_t value = 0;
    for (uint8_t byte : bytes)
    {
        value = value << 8 | byte;
    }
    return value;
}

void
FrameQueue::Grow()
{
    std::rotate(m_ring.begin(), m_ring.begin() + m_first, m_ring.end());
    m_first = 0;
    m_ring.resize(std::max<std::size_t>(2, 2 * m_ring.size()));
}

} // namespace photonic
} // namespace ns3

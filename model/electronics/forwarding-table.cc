/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "forwarding-table.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

Mac48Address
MakeHostAddress(uint32_t host)
{
    uint8_t bytes[6] = {2, 0};
    for (int i = 0; i < 4; i++)
    {
        bytes[2 + i] = host >> (24 - 8 * i) & 0xff;
    }
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

void
ForwardingTable::AddAddress(uint64_t address, uint32_t port)
{
    if (address >> 32 == HOST_PREFIX)
    {
        const uint32_t host = address & 0xffffffff;
        AddHosts(host, host, {port});
        return;
    }
    m_addresses[address] = {port};
}

void
ForwardingTable::AddHosts(uint32_t first, uint32_t last, Ports ports)
{
    const auto name = "hosts " + std::to_string(first) + " to " + std::to_string(last);
    if (first > last || ports.empty())
    {
        throw std::invalid_argument("forwarding of " + name + " names no " +
                                    (ports.empty() ? "port" : "host"));
    }
    const auto next = std::lower_bound(m_ranges.begin(),
                                       m_ranges.end(),
                                       first,
                                       [](const Range& r, uint32_t host) { return r.last < host; });
    if (next != m_ranges.end() && next->first <= last)
    {
        throw std::invalid_argument("forwarding of " + name + " contradicts that of hosts " +
                                    std::to_string(next->first) + " to " +
                                    std::to_string(next->last));
    }
    m_ranges.insert(next, {first, last, std::move(ports)});
}

std::size_t
ForwardingTable::GetSize() const
{
    return m_ranges.size() + m_addresses.size();
}

void
ForwardingTable::Clear()
{
    m_ranges.clear();
    m_addresses.clear();
}

const ForwardingTable::Ports*
ForwardingTable::FindHost(uint32_t host) const
{
    const auto range =
        std::lower_bound(m_ranges.begin(), m_ranges.end(), host, [](const Range& r, uint32_t h) {
            return r.last < h;
        });
    return range != m_ranges.end() && range->first <= host ? &range->ports : nullptr;
}

} // namespace photonic
} // namespace ns3

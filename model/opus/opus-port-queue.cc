/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus-port-queue.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

bool
OpusPortQueue::Add(const OpusKey& key, const std::vector<uint32_t>& ports)
{
    m_entries[key] = Entry{m_added++, ports};
    for (uint32_t port : ports)
    {
        m_ports[port].push_back(key);
    }
    return IsFirst(key);
}

std::vector<OpusKey>
OpusPortQueue::Remove(const OpusKey& key)
{
    // Ordered by when they were added: only who comes next at one of the ports can have been freed.
    std::map<uint64_t, OpusKey> next;
    for (uint32_t port : m_entries.at(key).ports)
    {
        auto& queue = m_ports[port];
        const bool wasFirst = queue.front() == key;
        queue.erase(std::find(queue.begin(), queue.end(), key));
        if (queue.empty())
        {
            m_ports.erase(port);
        }
        else if (wasFirst)
        {
            next.emplace(m_entries.at(queue.front()).order, queue.front());
        }
    }
    m_entries.erase(key);
    std::vector<OpusKey> startable;
    for (const auto& orderAndKey : next)
    {
        if (IsFirst(orderAndKey.second))
        {
            startable.push_back(orderAndKey.second);
        }
    }
    return startable;
}

bool
OpusPortQueue::IsFirst(const OpusKey& key) const
{
    const auto& ports = m_entries.at(key).ports;
    return std::all_of(ports.begin(), ports.end(), [&](uint32_t port) {
        return m_ports.at(port).front() == key;
    });
}

} // namespace photonic
} // namespace ns3

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPUS_PORT_QUEUE_H
#define PHOTONIC_OPUS_PORT_QUEUE_H

#include "opus-message.h"

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief Who may change the ports of one circuit switch now.
 *
 * Requests that share no port go ahead together. One that shares a port with an earlier one, under
 * way or itself waiting, waits for it: a queue per port, and a request may start when it is first
 * at all of its ports.
 */
class OpusPortQueue
{
  public:
    /**
     * @param key names the request; not in the queue yet
     * @param ports that it changes
     * @return whether it may start now
     */
    bool Add(const OpusKey& key, const std::vector<uint32_t>& ports);

    /**
     * Take a request out, because it is over or because it is given up.
     * @param key names it
     * @return those that may start now and could not before, in the order in which they were added
     */
    std::vector<OpusKey> Remove(const OpusKey& key);

  private:
    /// A request in the queue.
    struct Entry
    {
        uint64_t order;
        std::vector<uint32_t> ports;
    };

    bool IsFirst(const OpusKey& key) const;

    std::map<OpusKey, Entry> m_entries;
    std::map<uint32_t, std::deque<OpusKey>> m_ports;
    uint64_t m_added{0};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPUS_PORT_QUEUE_H

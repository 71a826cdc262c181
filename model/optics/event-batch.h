/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_EVENT_BATCH_H
#define PHOTONIC_EVENT_BATCH_H

#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @brief Lets things that happen at one tick, and were foreseen in one event, share an event.
 *
 * Thousands of ranks in lockstep begin and end computations together; an event for each would
 * cost more than what it does. They happen in the order in which they were scheduled, in the
 * context of the event that scheduled them.
 *
 * @tparam Item what happens, as a value
 */
template <typename Item>
class EventBatch
{
  public:
    /// Makes an item happen. It may schedule others.
    using Action = std::function<void(Item&)>;

    /// @param action what is done with an item when its time comes
    explicit EventBatch(Action action)
        : m_shared(std::make_shared<Shared>())
    {
        m_shared->action = std::move(action);
    }

    /// @param delay from now on, not negative @param item that happens then
    void Schedule(Time delay, Item item)
    {
        const uint64_t event = Simulator::GetEventCount();
        if (event != m_event)
        {
            m_event = event;
            m_open.clear();
        }
        const Time due = Simulator::Now() + delay;
        for (const auto& [time, batch] : m_open)
        {
            if (time == due)
            {
                batch->items.push_back(std::move(item));
                return;
            }
        }
        Ptr<Batch> batch = m_shared->Take();
        batch->shared = m_shared;
        batch->items.push_back(std::move(item));
        m_open.emplace_back(due, batch);
        Simulator::Schedule(delay, Ptr<EventImpl>(batch));
    }

  private:
    struct Batch;

    /// What outlives whoever schedules, as long as events are pending.
    struct Shared
    {
        Action action;
        std::vector<Ptr<Batch>> spare; ///< over, for the next ones

        Ptr<Batch> Take()
        {
            if (spare.empty())
            {
                return Create<Batch>();
            }
            Ptr<Batch> batch = std::move(spare.back());
            spare.pop_back();
            return batch;
        }
    };

    struct Batch : public EventImpl
    {
        std::vector<Item> items;
        std::shared_ptr<Shared> shared; ///< while it is pending

        void Notify() override
        {
            for (auto& item : items)
            {
                shared->action(item);
            }
            items.clear();
            const auto keeper = std::move(shared);
            keeper->spare.push_back(Ptr<Batch>(this));
        }
    };

    std::shared_ptr<Shared> m_shared;
    uint64_t m_event{0}; ///< the one in which those were scheduled:
    std::vector<std::pair<Time, Ptr<Batch>>> m_open;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_EVENT_BATCH_H

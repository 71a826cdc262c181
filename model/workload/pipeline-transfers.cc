/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "pipeline-schedule.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr auto FORWARD = PipelinePass::Direction::FORWARD;

/// What a pass leaves for one of another stage.
struct Message
{
    PipelinePass sent;     ///< the pass at the sender
    PipelinePass received; ///< the pass at the receiver
    uint32_t home;         ///< of the pair: the stage that the other one is next to
    bool isUp;             ///< sent by home
    uint64_t moment;       ///< of the transfer
};

/// The pipeline if every pass takes one unit of time, and a transfer none.
class UnitTimes
{
  public:
    explicit UnitTimes(const PipelineShape& shape);

    /// @return all messages in the order of their transfers
    std::vector<Message> GetMessages() const;

    /// @return passes of the stage that begin before the moment
    std::size_t CountBefore(uint32_t stage, uint64_t moment) const;

    const std::vector<PipelinePass>& GetOrder(uint32_t stage) const
    {
        return m_orders[stage];
    }

  private:
    static constexpr uint64_t NEVER = std::numeric_limits<uint64_t>::max();

    std::size_t GetKey(const PipelinePass& pass) const
    {
        return (static_cast<std::size_t>(pass.direction) * m_shape.chunks + pass.chunk) *
                   m_shape.microbatches +
               pass.microbatch;
    }

    uint64_t GetBegin(uint32_t stage, std::size_t index) const
    {
        return index < m_begin[stage].size() ? m_begin[stage][index] : NEVER;
    }

    /// @return the pass of another stage that needs what this one computes, if there is one
    std::optional<std::pair<uint32_t, PipelinePass>> GetTarget(uint32_t stage,
                                                               const PipelinePass& pass) const;
    void Run();

    PipelineShape m_shape;
    std::vector<std::vector<PipelinePass>> m_orders; ///< by stage
    std::vector<std::vector<std::size_t>> m_index;   ///< by stage and key: place in the order
    std::vector<std::vector<uint64_t>> m_begin;      ///< by stage and place
};

UnitTimes::UnitTimes(const PipelineShape& shape)
    : m_shape(shape)
{
    for (uint32_t stage = 0; stage < shape.stages; ++stage)
    {
        m_orders.push_back(MakePipelineOrder(shape, stage));
        m_index.emplace_back(std::size_t{3} * shape.chunks * shape.microbatches);
        for (std::size_t i = 0; i < m_orders[stage].size(); ++i)
        {
            m_index[stage][GetKey(m_orders[stage][i])] = i;
        }
    }
    Run();
}

std::optional<std::pair<uint32_t, PipelinePass>>
UnitTimes::GetTarget(uint32_t stage, const PipelinePass& pass) const
{
    if (pass.direction == PipelinePass::Direction::WEIGHTS)
    {
        return std::nullopt;
    }
    PipelinePass next = pass;
    if (pass.direction == FORWARD)
    {
        const bool wraps = stage + 1 == m_shape.stages;
        next.chunk += wraps;
        return next.chunk == m_shape.chunks
                   ? std::nullopt
                   : std::optional(std::make_pair(wraps ? 0 : stage + 1, next));
    }
    if (stage > 0)
    {
        return std::make_pair(stage - 1, next);
    }
    if (pass.chunk == 0)
    {
        return std::nullopt;
    }
    --next.chunk;
    return std::make_pair(m_shape.stages - 1, next);
}

void
UnitTimes::Run()
{
    const uint32_t stages = m_shape.stages;
    std::vector<std::vector<uint64_t>> ready; // when the input of a pass is there
    m_begin.resize(stages);
    for (uint32_t stage = 0; stage < stages; ++stage)
    {
        ready.emplace_back(m_orders[stage].size(), 0);
        m_begin[stage].reserve(m_orders[stage].size());
    }
    for (uint32_t stage = 0; stage < stages; ++stage)
    {
        for (const PipelinePass& pass : m_orders[stage])
        {
            if (const auto target = GetTarget(stage, pass))
            {
                ready[target->first][m_index[target->first][GetKey(target->second)]] = NEVER;
            }
        }
    }
    for (bool moved = true; moved;)
    {
        moved = false;
        for (uint32_t stage = 0; stage < stages; ++stage)
        {
            auto& begin = m_begin[stage];
            while (begin.size() < m_orders[stage].size() && ready[stage][begin.size()] != NEVER)
            {
                const uint64_t free = begin.empty() ? 0 : begin.back() + 1;
                const PipelinePass& pass = m_orders[stage][begin.size()];
                begin.push_back(std::max(free, ready[stage][begin.size()]));
                if (const auto target = GetTarget(stage, pass))
                {
                    ready[target->first][m_index[target->first][GetKey(target->second)]] =
                        begin.back() + 1;
                }
                moved = true;
            }
        }
    }
    for (uint32_t stage = 0; stage < stages; ++stage)
    {
        if (m_begin[stage].size() < m_orders[stage].size())
        {
            throw std::logic_error("stage " + std::to_string(stage) + " never gets the input of " +
                                   ToString(m_orders[stage][m_begin[stage].size()]));
        }
    }
}

std::size_t
UnitTimes::CountBefore(uint32_t stage, uint64_t moment) const
{
    const auto& begin = m_begin[stage];
    return std::lower_bound(begin.begin(), begin.end(), moment) - begin.begin();
}

std::vector<Message>
UnitTimes::GetMessages() const
{
    std::vector<Message> messages;
    for (uint32_t stage = 0; stage < m_shape.stages; ++stage)
    {
        for (std::size_t i = 0; i < m_orders[stage].size(); ++i)
        {
            const PipelinePass& pass = m_orders[stage][i];
            const auto target = GetTarget(stage, pass);
            if (!target)
            {
                continue;
            }
            const auto& [other, received] = *target;
            const bool forward = pass.direction == FORWARD;
            const uint32_t home = m_shape.stages == 2 ? 0 : forward ? stage : other;
            const std::size_t place = m_index[other][GetKey(received)];
            messages.push_back({pass,
                                received,
                                home,
                                stage == home,
                                std::min(GetBegin(stage, i + 1), GetBegin(other, place))});
        }
    }
    // At one moment a stage sends before it receives, as far as that does not go round in a circle:
    // forward passes from the last pair, backward ones from the first.
    const auto rank = [](const Message& m) {
        const bool forward = m.sent.direction == FORWARD;
        return std::make_tuple(m.moment, !forward, forward ? -int64_t{m.home} : int64_t{m.home});
    };
    std::stable_sort(messages.begin(), messages.end(), [&](const Message& a, const Message& b) {
        return rank(a) < rank(b);
    });
    return messages;
}

} // namespace

std::vector<std::vector<PipelineItem>>
MakePipelineItems(const PipelineShape& shape)
{
    shape.Check();
    const UnitTimes times(shape);
    const uint32_t stages = shape.stages;
    /// By stage and number of the pass that they precede.
    std::vector<std::vector<std::vector<PipelineItem>>> transfers(stages);
    for (uint32_t stage = 0; stage < stages; ++stage)
    {
        transfers[stage].resize(times.GetOrder(stage).size() + 1);
    }
    std::vector<uint32_t> counters(stages); // by home
    const std::vector<Message> messages = times.GetMessages();
    std::vector<bool> isDone(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i)
    {
        if (isDone[i])
        {
            continue;
        }
        const Message& first = messages[i];
        const Message* back = nullptr; // the other way at the same moment
        for (std::size_t j = i + 1; j < messages.size() && messages[j].moment == first.moment; ++j)
        {
            if (messages[j].home == first.home && messages[j].isUp != first.isUp)
            {
                back = &messages[j];
                isDone[j] = true;
            }
        }
        const uint32_t counter = counters[first.home]++;
        for (bool isHome : {true, false})
        {
            PipelineItem item;
            item.slot = isHome ? GroupSlot::PP_NEXT : GroupSlot::PP_PREVIOUS;
            item.counter = counter;
            for (const Message* m : {&first, back})
            {
                if (m && m->isUp == isHome)
                {
                    item.sent = m->sent;
                }
                else if (m)
                {
                    item.received = m->received;
                }
            }
            const uint32_t stage = isHome ? first.home : (first.home + 1) % stages;
            transfers[stage][times.CountBefore(stage, first.moment)].push_back(item);
        }
    }

    std::vector<std::vector<PipelineItem>> items(stages);
    for (uint32_t stage = 0; stage < stages; ++stage)
    {
        const auto& order = times.GetOrder(stage);
        for (std::size_t i = 0; i <= order.size(); ++i)
        {
            const auto& before = transfers[stage][i];
            items[stage].insert(items[stage].end(), before.begin(), before.end());
            if (i < order.size())
            {
                items[stage].push_back({GroupSlot::NONE, order[i], std::nullopt, std::nullopt, 0});
            }
        }
    }
    return items;
}

} // namespace photonic
} // namespace ns3

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "halving-doubling-algorithm.h"

namespace ns3
{
namespace photonic
{

namespace
{

/// One member's plan in the making. Those that take part in all steps are numbered 0 to p-1.
class Maker
{
  public:
    Maker(const CollectiveTask& task, uint32_t position)
        : m_kind(task.kind),
          m_n(task.n),
          m_position(position),
          m_p(GetPower(task.n)),
          m_folded(task.n - m_p),
          m_chunks(task.bytes, IsWhole() ? m_p : task.n),
          m_all{0, 0, m_chunks.GetCount()}
    {
    }

    MemberPlan Make()
    {
        const bool folds = m_position < 2 * m_folded;
        if (folds && m_position % 2 == 1)
        {
            const uint32_t mate = m_position - 1;
            if (m_kind != CollectiveKind::BROADCAST)
            {
                Send(mate, 0, GetContribution(m_position), IsReduction());
            }
            Receive(mate, GetLast(), GetResult(m_position));
            return m_plan;
        }
        m_self = folds ? m_position / 2 : m_position - m_folded;
        if (folds && m_kind != CollectiveKind::BROADCAST)
        {
            Receive(m_position + 1, 0, GetContribution(m_position + 1));
        }
        m_step = 1;
        if (m_kind == CollectiveKind::BROADCAST)
        {
            Scatter();
        }
        if (IsReduction())
        {
            Halve();
        }
        if (m_kind != CollectiveKind::REDUCE_SCATTER)
        {
            Double();
        }
        if (folds)
        {
            Send(m_position + 1, GetLast(), GetResult(m_position + 1), false);
        }
        return m_plan;
    }

  private:
    static uint32_t GetPower(uint32_t n)
    {
        uint32_t p = 1;
        while (2 * p <= n)
        {
            p *= 2;
        }
        return p;
    }

    /// @return whether the blocks are p parts of the whole instead of the n shares
    bool IsWhole() const
    {
        return m_kind == CollectiveKind::ALL_REDUCE || m_kind == CollectiveKind::BROADCAST;
    }

    bool IsReduction() const
    {
        return m_kind == CollectiveKind::ALL_REDUCE || m_kind == CollectiveKind::REDUCE_SCATTER;
    }

    /// @return number of the very last transfer
    static uint32_t GetLast()
    {
        return 99; // there are at most 2 x 31 steps
    }

    uint32_t GetPosition(uint32_t participant) const
    {
        return participant < m_folded ? 2 * participant : participant + m_folded;
    }

    /// @return blocks of participants [begin, end)
    BlockRange GetBlocks(uint32_t begin, uint32_t end) const
    {
        // The shares of one and of the one that folds into it lie side by side.
        const uint32_t first = IsWhole() ? begin : GetPosition(begin);
        return {0, first, (IsWhole() ? end : GetPosition(end)) - first};
    }

    /// @return what a position that folds hands over
    BlockRange GetContribution(uint32_t position) const
    {
        return IsReduction() ? m_all : BlockRange{0, position, 1};
    }

    /// @return what it gets in the end
    BlockRange GetResult(uint32_t position) const
    {
        switch (m_kind)
        {
        case CollectiveKind::REDUCE_SCATTER:
            return {0, position, 1};
        case CollectiveKind::ALL_GATHER:
            return {0, position + 1, m_n - 1}; // all but its own
        default:
            return m_all;
        }
    }

    void Send(uint32_t peer, uint32_t number, const BlockRange& data, bool reduces)
    {
        m_plan.AddSend({peer,
                        number,
                        GetRangeBytes(m_chunks, data.first, data.count),
                        data,
                        reduces,
                        MemberPlan::Via::PEER,
                        0,
                        0});
    }

    void Receive(uint32_t peer, uint32_t number, const BlockRange& data)
    {
        m_plan.AddReceive(
            {peer, number, GetRangeBytes(m_chunks, data.first, data.count), MemberPlan::Via::PEER});
    }

    void Exchange(uint32_t participant, const BlockRange& sent, const BlockRange& received)
    {
        const uint32_t peer = GetPosition(participant);
        Send(peer, m_step, sent, m_halving);
        Receive(peer, m_step, received);
    }

    /// A binomial tree: each holder passes on the upper half.
    void Scatter()
    {
        for (uint32_t distance = m_p / 2; distance > 0; distance /= 2, m_step++)
        {
            const uint32_t place = m_self % (2 * distance);
            if (place == 0)
            {
                Send(GetPosition(m_self + distance),
                     m_step,
                     GetBlocks(m_self + distance, m_self + 2 * distance),
                     false);
            }
            else if (place == distance)
            {
                Receive(GetPosition(m_self - distance),
                        m_step,
                        GetBlocks(m_self, m_self + distance));
            }
        }
    }

    void Halve()
    {
        m_halving = true;
        for (uint32_t distance = m_p / 2; distance > 0; distance /= 2, m_step++)
        {
            const uint32_t peer = m_self ^ distance;
            const uint32_t kept = m_self / distance * distance;
            const uint32_t given = kept ^ distance;
            Exchange(peer, GetBlocks(given, given + distance), GetBlocks(kept, kept + distance));
        }
        m_halving = false;
    }

    void Double()
    {
        for (uint32_t distance = 1; distance < m_p; distance *= 2, m_step++)
        {
            const uint32_t peer = m_self ^ distance;
            const uint32_t own = m_self / distance * distance;
            const uint32_t others = own ^ distance;
            Exchange(peer, GetBlocks(own, own + distance), GetBlocks(others, others + distance));
        }
    }

    CollectiveKind m_kind;
    uint32_t m_n;
    uint32_t m_position;
    uint32_t m_p;
    uint32_t m_folded; ///< so many fold
    RingChunks m_chunks;
    BlockRange m_all;
    uint32_t m_self{0}; ///< number of this participant
    uint32_t m_step{0};
    bool m_halving{false};
    MemberPlan m_plan;
};

} // namespace

std::string
HalvingDoublingAlgorithm::GetName() const
{
    return "halving-doubling";
}

bool
HalvingDoublingAlgorithm::Serves(CollectiveKind kind) const
{
    return kind < CollectiveKind::RING_EXCHANGE;
}

MemberPlan
HalvingDoublingAlgorithm::DoPlan(const CollectiveTask& task, uint32_t position) const
{
    return Maker(task, position).Make();
}

} // namespace photonic
} // namespace ns3

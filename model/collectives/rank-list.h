/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RANK_LIST_H
#define PHOTONIC_RANK_LIST_H

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief The ranks of a group, in order. Copies share them, so that n members do not keep n lists.
 */
class RankList
{
  public:
    /// As of a vector.
    using const_iterator = std::vector<uint32_t>::const_iterator;

    /// @param ranks by position
    RankList(std::vector<uint32_t> ranks = {})
        : m_ranks(std::make_shared<const std::vector<uint32_t>>(std::move(ranks)))
    {
    }

    /// @param ranks by position
    RankList(std::initializer_list<uint32_t> ranks)
        : RankList(std::vector<uint32_t>(ranks))
    {
    }

    /// @return how many ranks
    std::size_t size() const
    {
        return m_ranks->size();
    }

    /// @return whether there are none
    bool empty() const
    {
        return m_ranks->empty();
    }

    /// @param position less than size() @return the rank there
    uint32_t operator[](std::size_t position) const
    {
        return (*m_ranks)[position];
    }

    /// @return the rank at position 0
    uint32_t front() const
    {
        return m_ranks->front();
    }

    /// @return the first
    const_iterator begin() const
    {
        return m_ranks->begin();
    }

    /// @return beyond the last
    const_iterator end() const
    {
        return m_ranks->end();
    }

    /// @return a vector with the same ranks
    operator const std::vector<uint32_t>&() const
    {
        return *m_ranks;
    }

    /// @param a a list @param b another @return whether they have the same ranks in the same order
    friend bool operator==(const RankList& a, const RankList& b)
    {
        return a.m_ranks == b.m_ranks || *a.m_ranks == *b.m_ranks;
    }

    /// @param a a list @param b another @return whether they differ
    friend bool operator!=(const RankList& a, const RankList& b)
    {
        return !(a == b);
    }

  private:
    std::shared_ptr<const std::vector<uint32_t>> m_ranks;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RANK_LIST_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_ALGORITHM_TABLE_H
#define PHOTONIC_ALGORITHM_TABLE_H

#include "collective-algorithm.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief Which algorithm a collective uses, by its kind, group and size: a tuner's table.
 *
 * The first rule that fits counts. Where none does it is a ring, for all-to-all pairwise.
 */
class AlgorithmTable : public SimpleRefCount<AlgorithmTable>
{
  public:
    /// Both ends are included.
    struct Rule
    {
        /// Kind that it is for.
        CollectiveKind kind;
        Ptr<const CollectiveAlgorithm> algorithm; ///< that serves the kind
        /// Smallest group.
        uint32_t leastRanks{1};
        /// Largest group.
        uint32_t mostRanks{UINT32_MAX};
        uint64_t leastBytes{0}; ///< total, see CollectiveKind
        /// Total, see CollectiveKind.
        uint64_t mostBytes{UINT64_MAX};
    };

    /**
     * @param rule that counts where none before does
     * @throws std::invalid_argument if its algorithm does not serve its kind
     */
    void Add(const Rule& rule);

    /**
     * @param kind of a collective
     * @param n members of its group
     * @param bytes total; of an uneven all-to-all, AllToAllBytes::GetLargestTotal()
     * @return what it uses
     */
    const CollectiveAlgorithm& Find(CollectiveKind kind, uint32_t n, uint64_t bytes) const;

    /**
     * @param name of an algorithm, see GetNames()
     * @return it, with its default values
     * @throws std::invalid_argument if there is none
     */
    static Ptr<const CollectiveAlgorithm> FindAlgorithm(const std::string& name);

    /// @return names of all algorithms
    static std::vector<std::string> GetNames();

  private:
    std::vector<Rule> m_rules;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_ALGORITHM_TABLE_H

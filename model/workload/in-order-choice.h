/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_IN_ORDER_CHOICE_H
#define PHOTONIC_IN_ORDER_CHOICE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Find a partner for each of some instants among others, both in the order given.
 *
 * Of all choices that keep the order, one with the least sum of |time - partner|: an alignment by
 * dynamic programming, in (partners that are too many + 1) x times steps.
 *
 * @param times each of which gets a partner
 * @param partners at least as many (else std::invalid_argument)
 * @return index of the partner of each, ascending; of equal choices the one with the latest
 * partners
 */
std::vector<std::size_t> ChooseInOrder(const std::vector<Time>& times,
                                       const std::vector<Time>& partners);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_IN_ORDER_CHOICE_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_DIVIDE_UP_H
#define PHOTONIC_DIVIDE_UP_H

#include <cstdint>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @param total to be shared out
 * @param shares at least 1
 * @return the largest share, that is the quotient rounded up
 */
constexpr uint64_t
DivideUp(uint64_t total, uint64_t shares)
{
    return total / shares + (total % shares == 0 ? 0 : 1);
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_DIVIDE_UP_H

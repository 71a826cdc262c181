/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RANDOM_QUANTITY_H
#define PHOTONIC_RANDOM_QUANTITY_H

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-faults Faults
 * @ingroup photonic-rails
 * @brief What breaks, and when: by a schedule, or at random by a seed.
 */

/**
 * @ingroup photonic-rails-faults
 * @param text a decimal number from 0 to 10^9, without sign or exponent
 * @return its value
 * @throws std::invalid_argument that says what was expected
 */
double ParseNumber(const std::string& text);

/**
 * @ingroup photonic-rails-faults
 * @param text a number with a unit: ps, ns, us, ms, s, min or h; up to 1000 h. 0 needs none
 * @return the time
 * @throws std::invalid_argument that says what was expected
 */
Time ParseTime(const std::string& text);

/**
 * @ingroup photonic-rails-faults
 * @param text TIME, uniform:TIME:TIME, exponential:TIME (its mean) or normal:TIME:TIME (mean and
 *        standard deviation)
 * @return a variable of that distribution, in seconds
 * @throws std::invalid_argument that says what was expected
 */
Ptr<RandomVariableStream> ParseRandomTime(const std::string& text);

/**
 * @ingroup photonic-rails-faults
 * @param text the same with numbers without unit
 * @return a variable of that distribution
 * @throws std::invalid_argument that says what was expected
 */
Ptr<RandomVariableStream> ParseRandomNumber(const std::string& text);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RANDOM_QUANTITY_H

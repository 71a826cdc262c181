/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PROGRAM_JOIN_H
#define PHOTONIC_PROGRAM_JOIN_H

#include "step-program.h"

#include "ns3/ptr.h"

#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Check that the programs of all stages can run together, each in its program order.
 *
 * The ends of every communication are identified by group and counter: a pair joins two stages (of
 * three or more, also the last and the first, which comes next to it), a collective of the PP group
 * joins all, TP, FSDP and DP groups lie within a stage, whose ranks share one program. With the
 * ends merged, the program orders of all stages must not form a cycle. Then a rank that has only
 * one operation open at a time never waits for ever (the earliest operation of the joined order
 * that is not complete can always go on).
 *
 * @param stages one program per pipeline stage, in order
 * @throws std::invalid_argument naming the operations, if an end is missing, ends disagree in kind
 *         or bytes, or the joined order has a cycle
 */
void CheckJoinedOrder(const std::vector<Ptr<const StepProgram>>& stages);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PROGRAM_JOIN_H

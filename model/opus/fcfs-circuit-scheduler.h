/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FCFS_CIRCUIT_SCHEDULER_H
#define PHOTONIC_FCFS_CIRCUIT_SCHEDULER_H

#include "circuit-scheduler.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief First complete, first served.
 *
 * Requests that share no port go ahead together. One that shares a port with an earlier one, under
 * way or itself waiting, waits for it, so that none is overtaken for ever.
 */
class FcfsCircuitScheduler : public CircuitScheduler
{
  public:
    /// @return of the class
    static TypeId GetTypeId();

  private:
    std::size_t DoChoose(const std::vector<Request>& waiting) override;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FCFS_CIRCUIT_SCHEDULER_H

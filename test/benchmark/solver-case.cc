/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "solver-case.h"

#include "stopwatch.h"

#include "ns3/solved-port.h"

#include <algorithm>
#include <random>
#include <vector>

namespace ns3
{
namespace photonic
{

SolverCase::Result
SolverCase::Run(uint32_t operations) const
{
    const auto endpoint = CreateObject<MessageEndpoint>();
    const auto port =
        SolvedPort::CreatePackets(*endpoint, DataRate(rate), NanoSeconds(100), mtu); // two fibres
    std::mt19937_64 random(1);
    std::vector<Time> starts;
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        starts.push_back(NanoSeconds(random() % (1000 * spread + 1)));
    }
    Time last;
    CollectiveSolver solver;
    const Stopwatch watch;
    for (uint32_t i = 0; i < operations; i++)
    {
        solver.Begin(CollectiveKind::ALL_REDUCE, bytes, ranks, 2);
        for (uint32_t rank = 0; rank < ranks; rank++)
        {
            solver.SetLine(0, rank, port->GetModel(), ExactTime());
            solver.SetLine(1, rank, port->GetModel(), ExactTime());
            solver.Start(rank, starts[rank]);
        }
        for (uint32_t rank : solver.GetKnown())
        {
            last = std::max(last, solver.GetEnd(rank).done);
        }
    }
    return {watch.GetProcessorSeconds() / operations, last.GetSeconds()};
}

} // namespace photonic
} // namespace ns3

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * How long it takes to allocate ports and wavelengths to 1,024 GPUs: a line for each case with
 * seconds of the processor, and the share that was reached with its upper bound where known.
 */
#include "sip-ml/sip-ml-test-helper.h"
#include "stopwatch.h"

#include "ns3/sip-ocs-allocation.h"

#include <cstdio>
#include <functional>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

void
Measure(const char* name, const TrafficMatrix& demand, const std::function<SipShare()>& allocate)
{
    const Stopwatch watch;
    const SipShare worst = allocate();
    const double seconds = watch.GetProcessorSeconds();
    std::printf("%-44s %8.3f s   z = %g\n", name, seconds, worst.Normalise(demand.GetMax()));
}

} // namespace

int
main()
{
    const TrafficMatrix hybrid = MakeHybrid(128, 8);
    auto uneven = hybrid;
    std::mt19937_64 random(1);
    for (const auto& [source, destination, bytes] : hybrid.GetDemands())
    {
        uneven.Set(source, destination, 1'000'000'000 + random() % 1'000'000'000);
    }
    for (const TrafficMatrix* demand : {&hybrid, &std::as_const(uneven)})
    {
        const bool even = demand == &hybrid;
        std::printf("1,024 GPUs, dp:mp = 128:8, %s bytes\n", even ? "equal" : "random");
        Measure("SiP-OCS, K = 20, one-shot", *demand, [&] {
            return SipOcsAllocation::MaximiseWorst(*demand, 20).worst;
        });
        Measure("SiP-OCS, K = 20, periodic", *demand, [&] {
            return SipOcsAllocation::MaximiseTotal(*demand, 20).worst;
        });
        Measure("SiP-OCS, K = 20, periodic, a circuit a pair", *demand, [&] {
            return SipOcsAllocation::MaximiseTotal(*demand, 20, 1).worst;
        });
        for (const uint32_t wavelengths : {2, 8, 32})
        {
            const auto name = "SiP-Ring, R = 5, W' = " + std::to_string(wavelengths);
            Measure(name.c_str(), *demand, [&] {
                return SipRingAllocation::Allocate(*demand, {5, wavelengths}).worst;
            });
        }
    }
    return 0;
}

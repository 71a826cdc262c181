/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * How long it takes to allocate ports and wavelengths to 1,024 GPUs: a line for each case with
 * seconds of the processor, and z, what a pair with the largest demand has by the smallest share.
 */
#include "sip-ml/sip-ml-demands.h"
#include "stopwatch.h"

#include "ns3/sip-ocs-allocation.h"
#include "ns3/sip-ring-allocation.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// What was reached, and what cannot be exceeded.
struct Shares
{
    SipShare worst;
    SipShare bound;
};

void
Measure(const std::string& name,
        const TrafficMatrix& demand,
        const std::function<Shares()>& allocate)
{
    const Stopwatch watch;
    const Shares shares = allocate();
    const double seconds = watch.GetProcessorSeconds();
    std::printf("%-32s %8.3f s   z = %g of at most %g\n",
                name.c_str(),
                seconds,
                shares.worst.Normalise(demand.GetMax()),
                shares.bound.Normalise(demand.GetMax()));
}

void
MeasureOneShot(const TrafficMatrix& demand)
{
    Measure("SiP-OCS, K = 20, one-shot", demand, [&] {
        const auto worst = SipOcsAllocation::MaximiseWorst(demand, 20).worst;
        return Shares{worst, worst};
    });
}

/// @param limit circuits of a pair
void
MeasurePeriodic(const TrafficMatrix& demand, uint32_t limit)
{
    const Stopwatch watch;
    SipOcsAllocation::MaximiseTotal(demand, 20, limit);
    std::printf("SiP-OCS, K = 20, periodic%-7s %8.3f s\n",
                limit == 1 ? ", once" : "",
                watch.GetProcessorSeconds());
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
    for (const auto& [name, demand] :
         {std::make_pair("equal", &hybrid), std::make_pair("random", &std::as_const(uneven))})
    {
        std::printf("1,024 GPUs, dp:mp = 128:8, %s bytes\n", name);
        MeasureOneShot(*demand);
        MeasurePeriodic(*demand, UINT32_MAX);
        MeasurePeriodic(*demand, 1);
        for (const uint32_t wavelengths : {2, 8, 32})
        {
            Measure("SiP-Ring, R = 5, W' = " + std::to_string(wavelengths), *demand, [&] {
                const auto found = SipRingAllocation::Allocate(*demand, {5, wavelengths});
                return Shares{found.worst, found.bound};
            });
        }
    }
    std::printf("1,024 GPUs, up to 20 destinations and sources each at random\n");
    TrafficMatrix anywhere(1024);
    std::vector<uint32_t> permutation(1024);
    std::iota(permutation.begin(), permutation.end(), 0);
    for (uint32_t k = 0; k < 20; ++k)
    {
        std::shuffle(permutation.begin(), permutation.end(), random);
        for (uint32_t gpu = 0; gpu < 1024; ++gpu)
        {
            if (permutation[gpu] != gpu)
            {
                anywhere.Set(gpu, permutation[gpu], 1 + random() % 1'000'000);
            }
        }
    }
    MeasureOneShot(anywhere);
    MeasurePeriodic(anywhere, UINT32_MAX);
    MeasurePeriodic(anywhere, 1);
    return 0;
}

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/compute-model.h"
#include "ns3/gpu-catalogue.h"

namespace ns3
{
namespace photonic
{

namespace
{

GpuSpec
MakeGpu(double flops, double bandwidth)
{
    GpuSpec gpu = FindGpu("h100");
    gpu.peakFlops = flops;
    gpu.memoryBandwidth = bandwidth;
    return gpu;
}

} // namespace

TEST(GpuCatalogue, HoldsThePublishedNumbers)
{
    const GpuSpec& a100 = FindGpu("a100");
    EXPECT_EQ(a100.peakFlops, 312e12);
    EXPECT_EQ(a100.memoryBytes, 40e9);
    EXPECT_EQ(a100.memoryBandwidth, 1555e9);
    EXPECT_EQ(a100.scaleUp, DataRate("2400Gbps"));
    EXPECT_EQ(a100.scaleOut, DataRate("200Gbps"));
    EXPECT_EQ(FindGpu("gb200").scaleUp, DataRate("14400Gbps"));
    EXPECT_EQ(FindGpu("gb200").scaleOut, DataRate("800Gbps"));
    EXPECT_EQ(FindGpu("h200").memoryBandwidth, 4800e9);
    const std::string refusal = GetRefusal([] { FindGpu("H100"); });
    EXPECT_CONTAINS(refusal, "'H100'");
    EXPECT_CONTAINS(refusal, "a100, h100, h200, gb200");
}

TEST(ComputeModel, IsARoofline)
{
    const ComputeModel model(MakeGpu(100e12, 1e12), 0.5);
    EXPECT_EQ(model.GetDuration({50e12, 0}), Seconds(1));
    EXPECT_EQ(model.GetDuration({50e9, 0.5e9}), MilliSeconds(1));
    EXPECT_EQ(model.GetDuration({50e9, 2e9}), MilliSeconds(2));
    EXPECT_EQ(model.GetDuration({0, 0}), Time(0));
}

TEST(ComputeModel, RoundsUpToATickAndHoldsHours)
{
    const ComputeModel model(MakeGpu(1e12, 1e12), 1);
    EXPECT_EQ(model.GetDuration({1e-3, 0}).GetTimeStep(), 1);
    EXPECT_EQ(model.GetDuration({36000e12, 0}), Hours(10));
    EXPECT_CONTAINS(GetRefusal([&] { model.GetDuration({1e35, 0}); }), "longer than");
}

TEST(ComputeModel, RefusesImpossibleRates)
{
    EXPECT_CONTAINS(GetRefusal([] { ComputeModel(MakeGpu(1, 1), 0); }), "found 0");
    EXPECT_CONTAINS(GetRefusal([] { ComputeModel(MakeGpu(1, 1), 1.5); }), "found 1.5");
    EXPECT_CONTAINS(GetRefusal([] { ComputeModel(MakeGpu(0, 1), 1); }), "FLOP/s");
    EXPECT_CONTAINS(GetRefusal([] { ComputeModel(MakeGpu(1, -2), 1); }), "found -2");
}

} // namespace photonic
} // namespace ns3

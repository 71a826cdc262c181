/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload/workload-test-helper.h"

#include "ns3/operator-schedule.h"
#include "ns3/placement-search.h"

#include <set>

namespace ns3
{
namespace photonic
{

TEST(BatchScaling, IsTheTradeOffOfStepsAndExamples)
{
    // McCandlish et al. 2018: (S / S_min - 1) (E / E_min - 1) = 1 with E = B S, and
    // B_crit = E_min / S_min.
    const BatchScaling scaling{1024, 16384, 1500};
    const double least = scaling.GetSteps(1e18);
    const double fewest = scaling.GetSteps(1e-9) * 1e-9; // examples
    EXPECT_NEAR(fewest / least, 1500, 1e-3);
    for (double batch : {1.0, 64.0, 1500.0, 1e5})
    {
        const double steps = scaling.GetSteps(batch);
        EXPECT_NEAR((steps / least - 1) * (batch * steps / fewest - 1), 1, 1e-6);
    }
    EXPECT_NEAR(scaling.GetSteps(1500), 2 * least, 1e-6);
    EXPECT_DOUBLE_EQ((BatchScaling{8, 100, 0}.GetSteps(1)), 100);
}

TEST(PlacementSearch, HasTheSettingsOfTheStudy)
{
    // SiP-ML's study of 1,024 GPUs, and its rings at 8 Tbps and 400 Gbps in milliseconds.
    const struct
    {
        const char* name;
        double batch;
        double steps;
        double ring;
        double slowRing;
    } studies[] = {{"resnet-50", 8192, 8192, 0.5, 10},
                   {"transformer-big", 1024, 16384, 1.4, 28},
                   {"gpt2-355m", 1024, 2'403'000, 13.6, 272}};

    for (const auto& study : studies)
    {
        PlacementSearch search{FindOperatorModel(study.name)};
        EXPECT_DOUBLE_EQ(search.GetScaling().GetSteps(study.batch), study.steps);
        search.bandwidth = DataRate(8'000'000'000'000);
        EXPECT_NEAR(search.GetRing().GetSeconds() * 1e3, study.ring, 1e-6);
        search.bandwidth = DataRate(400'000'000'000);
        EXPECT_NEAR(search.GetRing().GetSeconds() * 1e3, study.slowRing, 1e-6);
        EXPECT_FALSE(search.model.criticalSource.empty());
        search.ringBytes = 1e9;
        EXPECT_NEAR(search.GetRing().GetSeconds() * 1e3, 40, 1e-6);
        search.criticalBatch = study.batch;
        EXPECT_NEAR(search.GetScaling().GetSteps(1e18), study.steps / 2, 1e-6);
    }
}

TEST(PlacementSearch, TriesAllDegreesThatDivide)
{
    PlacementSearch search{FindOperatorModel("transformer-big")};
    search.tokens = 16;
    search.gpus = 24;
    search.batches = {12, 2, 16};
    const auto candidates = search.Run();
    std::set<std::pair<uint64_t, uint32_t>> found;
    double seconds = 0;
    for (const PlacementCandidate& c : candidates)
    {
        found.emplace(c.batch, c.groups);
        EXPECT_EQ(c.groups * c.gpusPerGroup, 24U);
        EXPECT_GE(c.seconds, seconds);
        seconds = c.seconds;
        EXPECT_EQ(c.ring, c.groups == 1 ? Time(0) : search.GetRing());
        EXPECT_DOUBLE_EQ(c.seconds, c.steps * (c.hybridStep + c.ring).GetSeconds());
        EXPECT_DOUBLE_EQ(c.steps, search.GetScaling().GetSteps(c.batch));

        const OperatorGraph graph = search.model.Build(c.batch / c.groups, 16);
        const ComputeModel compute(search.gpu, search.mfu);
        const OperatorPlacement placement(graph, compute, {c.gpusPerGroup, c.groups, 0, 0});
        EXPECT_EQ(OperatorSchedule(graph, compute, placement, search.bandwidth).GetStepTime(),
                  c.hybridStep);
    }
    // Powers of two that divide 24 are 1, 2, 4 and 8; 8 does not divide 12, nor 4 divide 2.
    EXPECT_EQ(found,
              (std::set<std::pair<uint64_t, uint32_t>>{{12, 1},
                                                       {12, 2},
                                                       {12, 4},
                                                       {2, 1},
                                                       {2, 2},
                                                       {16, 1},
                                                       {16, 2},
                                                       {16, 4},
                                                       {16, 8}}));
    EXPECT_EQ(candidates.size(), found.size());
}

TEST(PlacementSearch, KeepsToTheLimitsOfAFabric)
{
    PlacementSearch search{FindOperatorModel("resnet-50")};
    search.gpus = 64;
    search.batches = {64};
    EXPECT_EQ(search.Run().size(), 7U);
    search.reach = 16; // groups of 32 GPUs cannot send to the next one; one group need not
    std::set<uint32_t> groups;
    for (const PlacementCandidate& c : search.Run())
    {
        groups.insert(c.groups);
    }
    EXPECT_EQ(groups, (std::set<uint32_t>{1, 4, 8, 16, 32, 64}));
    search.reach = 0;
    search.degree = 4;
    EXPECT_EQ(search.Run().size(), 7U);
}

TEST(PlacementSearch, GivesSpeedUpsWithinThePublishedRange)
{
    // SiP-ML, abstract: 1.3 to 9.1 times as fast as electrical clusters, whose ring has 400 Gbps.
    // The ceiling, without any computation, is 8192 / 400.
    for (const OperatorModel& model : GetOperatorModels())
    {
        PlacementSearch search{model};
        search.degree = 20;
        search.reach = 16;
        const Time fast = search.GetRing();
        for (const PlacementCandidate& c : search.Run())
        {
            if (c.groups == 128)
            {
                const Time slow = fast * 8192 / 400;
                const double speedUp =
                    (c.hybridStep + slow).GetSeconds() / (c.hybridStep + fast).GetSeconds();
                EXPECT_GT(speedUp, 1.3) << model.name;
                EXPECT_LT(speedUp, 9.1) << model.name;
            }
        }
    }
}

TEST(PlacementSearch, RefusesWhatCannotBe)
{
    PlacementSearch search{FindOperatorModel("resnet-50")};
    search.batches = {0};
    EXPECT_CONTAINS(GetRefusal([&] { search.Run(); }), "no data-parallel degree");
    search.gpus = 0;
    EXPECT_CONTAINS(GetRefusal([&] { search.Run(); }), "found 0 GPUs");
    search.gpus = 1;
    search.bandwidth = DataRate(0);
    EXPECT_CONTAINS(GetRefusal([&] { search.Run(); }), "and 0 bit/s");
}

} // namespace photonic
} // namespace ns3

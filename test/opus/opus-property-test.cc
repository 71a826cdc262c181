/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus/opus-mini-job.h"

#include "ns3/boolean.h"
#include "ns3/fcfs-circuit-scheduler.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <set>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// Chooses any request that can start, and waits for no reason now and then.
class MoodyScheduler : public CircuitScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::photonic::test::MoodyScheduler")
                                .SetParent<CircuitScheduler>()
                                .AddConstructor<MoodyScheduler>();
        return tid;
    }

  private:
    std::size_t DoChoose(const std::vector<Request>& waiting) override
    {
        if (m_random() % 3 == 0)
        {
            ChooseAgain(NanoSeconds(1 + m_random() % 200000));
            return NONE;
        }
        std::vector<std::size_t> free;
        for (std::size_t i = 0; i < waiting.size(); ++i)
        {
            if (ArePortsFree(waiting[i]))
            {
                free.push_back(i);
            }
        }
        return free.empty() ? NONE : free[m_random() % free.size()];
    }

    std::mt19937 m_random{1};
};

NS_OBJECT_ENSURE_REGISTERED(MoodyScheduler);

/// What a run came to.
struct Result
{
    Time end;
    uint64_t exposed;
    Time stall;
    uint64_t mispredictions;
    uint64_t recalls;
    uint64_t requests;
    std::vector<OpusController::Record> records;
};

/// How a run is controlled.
struct Control
{
    bool provisioned;
    std::string path;
    Time delay;
    std::string scheduler{FcfsCircuitScheduler::GetTypeId().GetName()};
};

Result
RunJob(const ParallelPlan& plan,
       const Control& control,
       OpusMiniJob::ProgramOf programOf,
       uint32_t steps,
       bool strict = true)
{
    Result result;
    {
        OpusHelper opus;
        opus.SetControlPath(control.path);
        opus.SetCircuitScheduler(control.scheduler);
        opus.SetShimAttribute("Provisioned", BooleanValue(control.provisioned));
        opus.SetShimAttribute("ProfilingSteps", UintegerValue(2));
        std::string failure;
        opus.SetFailure([&](const std::string& reason) { failure = reason; });
        OpusMiniJob job(plan, opus, control.delay, programOf, steps, strict);
        job.Run();
        EXPECT_EQ(failure, "");
        result = {job.end,
                  job.cause.GetReconfigurations(),
                  job.cause.GetStall(),
                  job.mispredictions,
                  job.recalls,
                  job.requests,
                  job.records};
        Simulator::Destroy();
    }
    return result;
}

/// A plan with PP 2 to 6 and FSDP 1 to 3.
ParallelPlan
RandomPlan(uint32_t seed)
{
    std::mt19937 random(seed);
    ParallelPlan::Degrees degrees;
    degrees.pp = 2 + random() % 5;
    degrees.fsdp = 1 + random() % 3;
    degrees.gpusPerNode = 1;
    return ParallelPlan(degrees);
}

/// Requests are granted in the order in which they became complete, where they share a port.
void
ExpectCompletionOrder(const ParallelPlan& plan, const std::vector<OpusController::Record>& records)
{
    std::map<uint32_t, std::set<uint32_t>> ports; // by group
    for (uint32_t rank = 0; rank < plan.GetRanks(); ++rank)
    {
        for (auto slot :
             {GroupSlot::FSDP, GroupSlot::PP, GroupSlot::PP_NEXT, GroupSlot::PP_PREVIOUS})
        {
            if (plan.HasGroup(rank, slot))
            {
                const auto group = plan.GetGroup(rank, slot);
                for (const auto& c :
                     GroupCircuits(group, [](uint32_t r, uint32_t p) { return 2 * r + p; }))
                {
                    ports[group.id].insert({c.in, c.out});
                }
            }
        }
    }
    for (std::size_t i = 1; i < records.size(); ++i)
    {
        const auto& later = records[i];
        EXPECT_LE(later.requested, later.complete);
        EXPECT_LE(later.complete, later.fired);
        EXPECT_LE(later.fired, later.dark);
        EXPECT_LE(later.dark, later.done);
        const auto& mine = ports[later.key.group];
        for (std::size_t j = i - std::min<std::size_t>(i, 50); j < i; ++j)
        {
            const auto& theirs = ports[records[j].key.group];
            if (std::any_of(mine.begin(), mine.end(), [&](auto p) { return theirs.count(p) > 0; }))
            {
                EXPECT_LE(records[j].complete, later.complete);
                EXPECT_LE(records[j].done, later.dark);
            }
        }
    }
}

constexpr uint32_t SEEDS = 60;

} // namespace

TEST(OpusProperty, NothingWaitsForEverAndNoTrafficIsCut)
{
    for (uint32_t seed = 1; seed <= SEEDS; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto plan = RandomPlan(seed);
        const OpusRandomPrograms programs(plan, seed, 40);
        auto programOf = [&](uint32_t, uint32_t rank) -> const auto& { return programs.Get(rank); };
        for (const char* path : {"instant", "delay"})
        {
            const auto onDemand = RunJob(plan, {false, path, MicroSeconds(70)}, programOf, 4);
            ExpectCompletionOrder(plan, onDemand.records);
            const auto provisioned = RunJob(plan, {true, path, MicroSeconds(70)}, programOf, 4);
            ExpectCompletionOrder(plan, provisioned.records);
            EXPECT_EQ(onDemand.mispredictions, 0U);
            EXPECT_EQ(provisioned.mispredictions, 0U);
            EXPECT_EQ(onDemand.recalls, 0U);
            EXPECT_EQ(provisioned.recalls, 0U);
            EXPECT_LE(provisioned.requests, onDemand.requests);
        }
        if (HasFailure())
        {
            std::cout << "first failing seed: " << seed << std::endl;
            return;
        }
    }
    std::cout << "seeds 1 to " << SEEDS << std::endl;
}

TEST(OpusProperty, ProgramsThatChangeFinish)
{
    uint64_t mispredictions = 0;
    uint64_t recalls = 0;
    for (uint32_t seed = 1; seed <= SEEDS; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto plan = RandomPlan(seed);
        // Steps 0 to 2 as profiled, then longer, shorter and altogether different ones.
        const std::vector<OpusRandomPrograms> programs{OpusRandomPrograms(plan, seed, 30),
                                                       OpusRandomPrograms(plan, seed, 45),
                                                       OpusRandomPrograms(plan, seed, 12),
                                                       OpusRandomPrograms(plan, seed + 1000, 30),
                                                       OpusRandomPrograms(plan, seed + 2000, 60)};
        auto programOf = [&](uint32_t step, uint32_t rank) -> const auto& {
            return programs[step < 3 ? 0 : (step - 2) % programs.size()].Get(rank);
        };
        for (const char* path : {"instant", "delay"})
        {
            const auto result = RunJob(plan, {true, path, MicroSeconds(70)}, programOf, 10, false);
            mispredictions += result.mispredictions;
            recalls += result.recalls;
        }
        if (HasFailure())
        {
            std::cout << "first failing seed: " << seed << std::endl;
            return;
        }
    }
    std::cout << "seeds 1 to " << SEEDS << ": " << mispredictions << " mispredictions, " << recalls
              << " recalls" << std::endl;
    EXPECT_GT(mispredictions, 0U);
    EXPECT_GT(recalls, 0U);
}

TEST(OpusProperty, NoPolicyCutsTrafficOrLocksUp)
{
    const std::string moody = MoodyScheduler::GetTypeId().GetName();
    for (uint32_t seed = 1; seed <= SEEDS && !HasFailure(); ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto plan = RandomPlan(seed);
        const std::vector<OpusRandomPrograms> programs{OpusRandomPrograms(plan, seed, 30),
                                                       OpusRandomPrograms(plan, seed + 1000, 40)};
        auto same = [&](uint32_t, uint32_t rank) -> const auto& { return programs[0].Get(rank); };
        auto changing = [&](uint32_t step, uint32_t rank) -> const auto& {
            return programs[step < 3 ? 0 : step % 2].Get(rank);
        };
        for (const char* path : {"instant", "delay"})
        {
            RunJob(plan, {false, path, MicroSeconds(70), moody}, same, 4);
            RunJob(plan, {true, path, MicroSeconds(70), moody}, same, 4);
            RunJob(plan, {true, path, MicroSeconds(70), moody}, changing, 8, false);
        }
    }
}

TEST(OpusProperty, SlopeEqualsExposedReconfigurations)
{
    uint32_t compared = 0;
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        const auto plan = RandomPlan(seed);
        const OpusRandomPrograms programs(plan, seed, 30);
        auto programOf = [&](uint32_t, uint32_t rank) -> const auto& { return programs.Get(rank); };
        for (const char* path : {"instant", "delay", "packets"})
        {
            for (int64_t delay : {0, 20, 150, 1000, 30000})
            {
                const bool provisioned = seed % 2 == 0;
                SCOPED_TRACE("seed " + std::to_string(seed) + " delay " + std::to_string(delay) +
                             " path " + path);
                const auto base =
                    RunJob(plan, {provisioned, path, MicroSeconds(delay)}, programOf, 4);
                const auto more = RunJob(plan,
                                         {provisioned, path, MicroSeconds(delay) + NanoSeconds(3)},
                                         programOf,
                                         4);
                if (base.exposed == more.exposed) // else a corner lies between
                {
                    EXPECT_EQ((more.end - base.end).GetNanoSeconds(), int64_t(3 * base.exposed));
                    ++compared;
                }
                EXPECT_LE(base.exposed, base.records.size());
                if (delay > 0)
                {
                    EXPECT_GT(base.exposed, 0U);
                }
            }
        }
    }
    std::cout << compared << " of " << 20 * 3 * 5 << " pairs lie in a linear piece" << std::endl;
    EXPECT_GT(compared, 250U);
}

TEST(OpusProperty, PacketsBehaveAsDelays)
{
    for (uint32_t seed = 1; seed <= 6; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto plan = RandomPlan(seed);
        const OpusRandomPrograms programs(plan, seed, 20);
        auto programOf = [&](uint32_t, uint32_t rank) -> const auto& { return programs.Get(rank); };
        const auto packets = RunJob(plan, {true, "packets", MicroSeconds(70)}, programOf, 4);
        const auto delays = RunJob(plan, {true, "delay", MicroSeconds(70)}, programOf, 4);
        EXPECT_EQ(packets.requests, delays.requests);
        EXPECT_EQ(packets.exposed, delays.exposed);
        EXPECT_LT(Abs(packets.end - delays.end), MicroSeconds(70)); // less than one of them
    }
}

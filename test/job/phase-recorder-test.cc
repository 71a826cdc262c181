/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "two-stage-job.h"

#include "ns3/phase-recorder.h"

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

/// Collects what a PhaseRecorder tells of a run.
struct Recording
{
    explicit Recording(TestJob& t)
    {
        auto recorder = CreateObject<PhaseRecorder>();
        recorder->TraceConnectWithoutContext(
            "Phase",
            Callback<void, const Phase&>([this](const Phase& p) { phases.push_back(p); }));
        recorder->TraceConnectWithoutContext(
            "Window",
            Callback<void, const Window&>([this](const Window& w) { windows.push_back(w); }));
        recorder->Observe(t.job, t.plan);
        t.Run();
        recorder->Dispose();
    }

    std::vector<Phase> Get(uint32_t rail, uint32_t stage, uint32_t step) const
    {
        std::vector<Phase> found;
        for (const auto& p : phases)
        {
            if (p.rail == rail && p.stage == stage && p.step == step)
            {
                found.push_back(p);
            }
        }
        return found;
    }

    /// @return windows that last
    std::vector<Window> GetWindows(uint32_t rail, uint32_t stage, uint32_t step) const
    {
        std::vector<Window> found;
        for (const auto& w : windows)
        {
            EXPECT_GE(w.duration, Time(0));
            if (w.rail == rail && w.stage == stage && w.step == step && !w.duration.IsZero())
            {
                found.push_back(w);
            }
        }
        return found;
    }

    std::vector<Phase> phases;
    std::vector<Window> windows;
};

void
ExpectPhase(const Phase& phase,
            uint32_t number,
            Parallelism parallelism,
            uint32_t collectives,
            Time start,
            Time end,
            uint64_t bytes)
{
    SCOPED_TRACE("stage " + std::to_string(phase.stage) + ", phase " + std::to_string(number));
    EXPECT_EQ(phase.number, number);
    EXPECT_EQ(phase.parallelism, parallelism);
    EXPECT_EQ(phase.collectives, collectives);
    EXPECT_EQ(phase.start, start);
    EXPECT_EQ(phase.end, end);
    EXPECT_EQ(phase.bytes, bytes);
}

void
ExpectWindow(const Window& window,
             Parallelism from,
             Parallelism to,
             Time start,
             Time duration,
             uint64_t before,
             uint64_t after)
{
    EXPECT_EQ(window.from, from);
    EXPECT_EQ(window.to, to);
    EXPECT_EQ(window.start, start);
    EXPECT_EQ(window.duration, duration);
    EXPECT_EQ(window.bytesBefore, before);
    EXPECT_EQ(window.bytesAfter, after);
}

constexpr auto FSDP = Parallelism::FSDP;
constexpr auto PP = Parallelism::PP;

} // namespace

TEST(PhaseRecorder, TellsPhasesAndWindowsOfTwoStages)
{
    TestJob t(MakeTwoStageJob(2));
    const Recording recording(t);
    EXPECT_EQ(recording.phases.size(), 2U * 2 * 3);
    for (uint32_t step : {0U, 1U})
    {
        const Time begin = NanoSeconds(20'400) * step;
        const auto first = recording.Get(0, 0, step);
        ASSERT_EQ(first.size(), 3U);
        const auto at = [begin](int64_t ns) { return begin + NanoSeconds(ns); };
        ExpectPhase(first[0], 0, FSDP, 1, at(0), at(1100), 4 * FULL);
        ExpectPhase(first[1], 1, PP, 2, at(6100), at(16'300), 6 * FULL);
        ExpectPhase(first[2], 2, FSDP, 1, at(18'300), at(20'400), 8 * FULL);
        const auto second = recording.Get(0, 1, step);
        ASSERT_EQ(second.size(), 3U);
        // In the second step this stage has begun 2 us earlier; waiting is not traffic.
        const Time early = step == 0 ? Time(0) : NanoSeconds(18'400);
        ExpectPhase(second[0], 0, FSDP, 1, early, early + NanoSeconds(1100), 4 * FULL);
        ExpectPhase(second[1], 1, PP, 2, at(6200), at(16'300), 6 * FULL);
        ExpectPhase(second[2], 2, FSDP, 1, at(16'300), at(18'400), 8 * FULL);

        const auto firstWindows = recording.GetWindows(0, 0, step);
        ASSERT_EQ(firstWindows.size(), 2U);
        ExpectWindow(firstWindows[0], FSDP, PP, at(1100), NanoSeconds(5000), 4 * FULL, 6 * FULL);
        ExpectWindow(firstWindows[1], PP, FSDP, at(16'300), NanoSeconds(2000), 6 * FULL, 8 * FULL);
        // Nothing idle before the reduce-scatter of the second stage, and nothing between steps.
        const auto secondWindows = recording.GetWindows(0, 1, step);
        ASSERT_EQ(secondWindows.size(), 1U);
        ExpectWindow(secondWindows[0],
                     FSDP,
                     PP,
                     early + NanoSeconds(1100),
                     at(6200) - early - NanoSeconds(1100),
                     4 * FULL,
                     6 * FULL);
    }
}

TEST(PhaseRecorder, OverlappingPhasesHaveNoNegativeWindow)
{
    // The send is posted while the all-gather is on its way.
    TestJob::Options options;
    options.degrees.fsdp = 2;
    options.degrees.pp = 2;
    options.programs = {
        {MakeCollective("gather", GroupSlot::FSDP, Kind::ALL_GATHER, 24 * FULL, 0),
         MakeCompute("c", NanoSeconds(1500)),
         MakeTransfer("send", GroupSlot::PP_NEXT, Kind::SEND, FULL, 0, 0, {{1, Part::WHOLE}})},
        {MakeTransfer("receive", GroupSlot::PP_PREVIOUS, Kind::RECEIVE, 0, FULL, 0)}};
    TestJob t(options);
    const Recording recording(t);
    const auto phases = recording.Get(0, 0, 0);
    ASSERT_EQ(phases.size(), 2U);
    // Of six packets of the ring on port 0, two have left when the pipeline's takes its turn.
    ExpectPhase(phases[0], 0, FSDP, 1, Time(0), NanoSeconds(7100), 24 * FULL);
    ExpectPhase(phases[1], 1, PP, 1, MicroSeconds(2), NanoSeconds(3100), 2 * FULL);
    EXPECT_TRUE(recording.GetWindows(0, 0, 0).empty());
    EXPECT_TRUE(recording.GetWindows(0, 1, 0).empty());
}

TEST(PhaseRecorder, RailsAreApartAndScaleUpTrafficIsNoPhase)
{
    TestJob::Options options;
    options.degrees.tp = 2;
    options.degrees.fsdp = 2;
    options.programs = {
        {MakeCollective("t", GroupSlot::TP, Kind::ALL_REDUCE, 1000, 0),
         MakeCollective("f", GroupSlot::FSDP, Kind::ALL_GATHER, 4 * FULL, 0, {{0, Part::WHOLE}}),
         MakeCollective("g", GroupSlot::FSDP, Kind::ALL_REDUCE, 4 * FULL, 1)}};
    TestJob t(options);
    const Recording recording(t);
    ASSERT_EQ(recording.phases.size(), 2U);
    for (uint32_t rail : {0U, 1U})
    {
        const auto phases = recording.Get(rail, 0, 0);
        ASSERT_EQ(phases.size(), 1U);
        // 2 us of tensor parallel traffic first; then 1.1 and 2.2 us.
        ExpectPhase(phases[0],
                    0,
                    FSDP,
                    2,
                    MicroSeconds(2),
                    NanoSeconds(2000 + 1100 + 2200),
                    4 * FULL + 8 * FULL);
    }
    EXPECT_TRUE(recording.windows.empty());
}

} // namespace photonic
} // namespace ns3

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "job-summaries.h"

#include <map>

namespace ns3
{
namespace photonic
{

namespace
{

using Kind = CollectiveKind;

/// A gate that notes what it is asked and lets everything pass after a while.
class SlowGate : public CollectiveGate
{
  public:
    void Register(const std::vector<RankGroup>& announced, Pass ready) override
    {
        groups = announced;
        Later(registration, Cause(), std::move(ready));
    }

    void BeginStep(uint32_t step, const Cause& cause, Pass go) override
    {
        log.push_back("begin " + std::to_string(step));
        Cause why = cause;
        for (uint32_t i = 0; i < stepReconfigurations[step]; i++)
        {
            why = why.AfterReconfiguration(1000 + i);
        }
        Later(stepDelay[step], why, std::move(go));
    }

    void Enter(const GatedOperation& o, const Cause& ready, Pass pass) override
    {
        log.push_back("enter " + std::to_string(o.sequence));
        operations.push_back(o);
        const Time wait = delay[o.sequence];
        Later(wait,
              wait.IsZero() ? ready : ready.AfterReconfiguration(o.sequence + 1).AfterStall(wait),
              std::move(pass));
    }

    void Leave(const GatedOperation& o, const Cause&) override
    {
        log.push_back("leave " + std::to_string(o.sequence));
    }

    void EndStep(uint32_t step, const Cause& cause) override
    {
        log.push_back("end " + std::to_string(step));
        ends.push_back(cause);
    }

    std::string DescribeWaiting() const override
    {
        return waiting > 0 ? "the gate is slow" : "";
    }

    Time registration;
    std::map<uint32_t, Time> delay;     ///< by sequence
    std::map<uint32_t, Time> stepDelay; ///< by step
    std::map<uint32_t, uint32_t> stepReconfigurations;
    std::vector<RankGroup> groups;
    std::vector<GatedOperation> operations;
    std::vector<std::string> log;
    std::vector<Cause> ends;
    uint32_t waiting{0};

  private:
    void Later(Time wait, const Cause& cause, Pass pass)
    {
        if (wait.IsZero())
        {
            pass(cause);
            return;
        }
        waiting++;
        Simulator::Schedule(wait, [this, cause, pass] {
            waiting--;
            pass(cause);
        });
    }
};

/// Gates of all ranks, to be set up before the job and looked into afterwards.
struct Gates
{
    explicit Gates(uint32_t n)
    {
        for (uint32_t i = 0; i < n; i++)
        {
            gates.push_back(CreateObject<SlowGate>());
        }
    }

    TrainingJobHelper::GateFactory Factory()
    {
        return [this](uint32_t rank) -> Ptr<CollectiveGate> { return gates[rank]; };
    }

    SlowGate& operator[](uint32_t rank)
    {
        return *gates[rank];
    }

    std::vector<Ptr<SlowGate>> gates;
};

Operation
MakeGather(const std::string& label, uint64_t microseconds, uint32_t counter, After after = {})
{
    return MakeCollective(label,
                          GroupSlot::FSDP,
                          Kind::ALL_GATHER,
                          4 * microseconds * FULL,
                          counter,
                          std::move(after));
}

} // namespace

TEST(CollectiveGate, StandsBeforeScaleOutOperationsOnly)
{
    Gates gates(4);
    TestJob::Options options;
    options.degrees.tp = 2;
    options.degrees.fsdp = 2;
    options.programs = {{MakeCollective("t", GroupSlot::TP, Kind::ALL_REDUCE, 1000, 0),
                         MakeGather("f0", 1, 0, {{0, Part::WHOLE}}),
                         MakeCompute("c", MicroSeconds(1), {{1, Part::WHOLE}}),
                         MakeGather("f1", 1, 1, {{2, Part::WHOLE}})}};
    options.steps = 2;
    options.gates = gates.Factory();
    TestJob t(options);
    t.Run();
    for (uint32_t rank = 0; rank < 4; rank++)
    {
        SlowGate& gate = gates[rank];
        EXPECT_EQ(gate.log,
                  (std::vector<std::string>{"begin 0",
                                            "enter 0",
                                            "leave 0",
                                            "enter 1",
                                            "leave 1",
                                            "end 0",
                                            "begin 1",
                                            "enter 0",
                                            "leave 0",
                                            "enter 1",
                                            "leave 1",
                                            "end 1"}));
        ASSERT_EQ(gate.groups.size(), 1U);
        EXPECT_EQ(gate.groups[0].slot, GroupSlot::FSDP);
        EXPECT_EQ(gate.groups[0].ranks, (std::vector<uint32_t>{rank % 2, rank % 2 + 2}));
        for (uint32_t i = 0; i < 4; i++)
        {
            EXPECT_EQ(gate.operations[i].step, i / 2);
            EXPECT_EQ(gate.operations[i].counter, i % 2);
            EXPECT_EQ(gate.operations[i].group, gate.groups[0].id);
            EXPECT_EQ(gate.operations[i].slot, GroupSlot::FSDP);
        }
    }
}

TEST(CollectiveGate, DelaysPassesAndLeavesItsTraceInTheCause)
{
    Gates gates(2);
    gates[0].registration = MicroSeconds(4);
    gates[1].registration = MicroSeconds(6);
    gates[0].delay[0] = MicroSeconds(10);
    gates[1].delay[0] = MicroSeconds(20);
    gates[0].delay[1] = MicroSeconds(2);
    TestJob::Options options;
    options.degrees.fsdp = 2;
    options.programs = {{MakeGather("a", 1, 0),
                         MakeCompute("c", MicroSeconds(5), {{0, Part::WHOLE}}),
                         MakeGather("b", 1, 1, {{1, Part::WHOLE}})}};
    options.gates = gates.Factory();
    TestJob t(options);
    // Rank 0 sends from 14 us on and rank 1 from 26: both end at 27.1, and compute until 32.1. Rank
    // 1 passes at once, rank 0 at 34.1.
    EXPECT_EQ(t.Run(), NanoSeconds(35'200));
    EXPECT_EQ(t.GetEnd(0, "a"), NanoSeconds(27'100));
    EXPECT_EQ(t.GetEnd(0, "c"), NanoSeconds(32'100));
    EXPECT_EQ(t.Get(0, "a").start, MicroSeconds(14));
    EXPECT_EQ(t.Get(1, "b").start, NanoSeconds(32'100));
    EXPECT_EQ(t.steps[0].start, MicroSeconds(t.steps[0].rank == 0 ? 4 : 6));
    // The way back from the end: rank 0's wait of 2 us, and before it rank 1's of 20 us.
    for (const auto& gate : gates.gates)
    {
        ASSERT_EQ(gate->ends.size(), 1U);
        EXPECT_EQ(gate->ends[0].GetReconfigurations(), 2U);
        EXPECT_EQ(gate->ends[0].GetStall(), MicroSeconds(22));
    }
}

TEST(CollectiveGate, IsAskedWhatItWaitsFor)
{
    Gates gates(2);
    gates[0].delay[0] = Hours(9);
    TestJob::Options options;
    options.degrees.fsdp = 2;
    options.programs = {{MakeGather("first", 1, 0)}};
    options.gates = gates.Factory();
    options.stallTimeout = Seconds(1);
    TestJob t(options);
    Simulator::Run();
    EXPECT_FALSE(t.job->IsFinished());
    const auto lines = t.job->DescribeWaiting(9);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_SAYS(lines[0], "first");
    EXPECT_SAYS(lines[0], "circuits");
    EXPECT_SAYS(lines[0], "the gate is slow");
    EXPECT_SAYS(lines[1], "rank 1");
    EXPECT_SAYS(lines[1], "with rank 0");
}

TEST(CollectiveGate, OperationsMayComeOutOfProgramOrder)
{
    // The pipeline's stream is not behind that of the all-gather, though it stands after it.
    Gates gates(2);
    TestJob::Options options;
    options.degrees.pp = 2;
    options.programs = {
        {MakeCompute("c", MicroSeconds(9)),
         MakeCollective("slow", GroupSlot::PP, Kind::ALL_REDUCE, 4 * FULL, 0, {{0, Part::WHOLE}}),
         MakeTransfer("fast", GroupSlot::PP_NEXT, Kind::SEND, FULL, 0, 0)},
        {MakeTransfer("fast", GroupSlot::PP_PREVIOUS, Kind::RECEIVE, 0, FULL, 0),
         MakeCollective("slow", GroupSlot::PP, Kind::ALL_REDUCE, 4 * FULL, 0)}};
    options.gates = gates.Factory();
    TestJob t(options);
    t.Run();
    EXPECT_EQ(
        gates[0].log,
        (std::vector<std::string>{"begin 0", "enter 1", "leave 1", "enter 0", "leave 0", "end 0"}));
    // The pair and the whole pipeline are two groups, even with the same two members.
    EXPECT_NE(gates[0].operations[0].group, gates[0].operations[1].group);
    EXPECT_EQ(gates[0].operations[0].group, gates[1].operations[0].group);
}

TEST(CollectiveGate, StepsAreToldTheirOwnStalls)
{
    Gates gates(2);
    gates[1].delay[0] = MicroSeconds(3);
    TestJob::Options options;
    options.degrees.fsdp = 2;
    options.programs = {{MakeGather("a", 1, 0)}};
    options.steps = 3;
    options.gates = gates.Factory();
    TestJob t(options);
    const auto summaries = RunAndSum(t);
    ASSERT_EQ(summaries.size(), 3U);
    for (const auto& s : summaries)
    {
        EXPECT_EQ(s.duration, NanoSeconds(3000 + 1100));
        EXPECT_EQ(s.stall, MicroSeconds(3));
        EXPECT_EQ(s.exposedReconfigurations, 1);
        EXPECT_EQ(s.cause.GetReconfigurations(), s.step + 1);
    }
}

TEST(CollectiveGate, ExposedReconfigurationsFollowTheDuration)
{
    // Without common operations each rank is on a way of its own. Step 0 ends with rank 0, which
    // has met five reconfigurations, and step 1 with rank 1, which has met one.
    Gates gates(2);
    gates[0].stepDelay[0] = MicroSeconds(10);
    gates[0].stepReconfigurations[0] = 5;
    gates[1].stepReconfigurations[1] = 1;
    TestJob::Options options;
    options.degrees.pp = 2;
    options.programs = {{MakeCompute("short", MicroSeconds(1))},
                        {MakeCompute("long", NanoSeconds(6500))}};
    options.steps = 2;
    options.gates = gates.Factory();
    TestJob t(options);
    const auto summaries = RunAndSum(t);
    ASSERT_EQ(summaries.size(), 2U);
    EXPECT_EQ(summaries[0].duration, MicroSeconds(11));
    EXPECT_EQ(summaries[0].exposedReconfigurations, 5);
    EXPECT_EQ(summaries[1].duration, MicroSeconds(2));
    EXPECT_EQ(summaries[1].exposedReconfigurations, -4);
}

} // namespace photonic
} // namespace ns3

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/program-join.h"

namespace ns3
{
namespace photonic
{

namespace
{

Operation
Communicate(GroupSlot slot, CollectiveKind kind, uint32_t counter, const std::string& label)
{
    Operation o;
    o.slot = slot;
    o.kind = kind;
    o.counter = counter;
    o.bytes = kind == CollectiveKind::RECEIVE ? 0 : 100;
    o.receiveBytes =
        kind == CollectiveKind::RECEIVE || kind == CollectiveKind::SEND_RECEIVE ? 100 : 0;
    o.label = label;
    return o;
}

Operation
Next(CollectiveKind kind, uint32_t counter, const std::string& label)
{
    return Communicate(GroupSlot::PP_NEXT, kind, counter, label);
}

Operation
Previous(CollectiveKind kind, uint32_t counter, const std::string& label)
{
    return Communicate(GroupSlot::PP_PREVIOUS, kind, counter, label);
}

Operation
Norm(uint32_t counter = 0)
{
    return Communicate(GroupSlot::PP, CollectiveKind::ALL_REDUCE, counter, "norm");
}

void
Check(const std::vector<std::vector<Operation>>& stages)
{
    std::vector<Ptr<const StepProgram>> programs;
    for (const auto& operations : stages)
    {
        programs.push_back(Create<const StepProgram>(operations));
    }
    CheckJoinedOrder(programs);
}

constexpr auto SEND = CollectiveKind::SEND;
constexpr auto RECEIVE = CollectiveKind::RECEIVE;
constexpr auto BOTH = CollectiveKind::SEND_RECEIVE;

} // namespace

TEST(ProgramJoin, AcceptsOrdersThatFit)
{
    EXPECT_NO_THROW(Check({}));
    EXPECT_NO_THROW(Check({{Norm()}}));
    // 1F1B, two stages, two microbatches, batched where both ends are adjacent.
    EXPECT_NO_THROW(
        Check({{Next(SEND, 0, "f0"), Next(BOTH, 1, "f1 b0"), Next(RECEIVE, 2, "b1")},
               {Previous(RECEIVE, 0, "f0"), Previous(BOTH, 1, "b0 f1"), Previous(SEND, 2, "b1")}}));
}

TEST(ProgramJoin, JoinsTheLastStageToTheFirst)
{
    EXPECT_NO_THROW(Check({{Next(SEND, 0, "a"), Previous(RECEIVE, 0, "c")},
                           {Previous(RECEIVE, 0, "a"), Next(SEND, 0, "b")},
                           {Previous(RECEIVE, 0, "b"), Next(SEND, 0, "c")}}));
    // If all receive first, nobody sends.
    EXPECT_CONTAINS(GetRefusal([] {
                        Check({{Previous(RECEIVE, 0, "c"), Next(SEND, 0, "a")},
                               {Previous(RECEIVE, 0, "a"), Next(SEND, 0, "b")},
                               {Previous(RECEIVE, 0, "b"), Next(SEND, 0, "c")}});
                    }),
                    "circle");
}

TEST(ProgramJoin, RefusesOneForwardOneBackwardWithoutBatching)
{
    const std::string error = GetRefusal([] {
        Check({{Next(SEND, 0, "send f0"),
                Next(SEND, 2, "send f1"),
                Next(RECEIVE, 1, "receive b0"),
                Next(RECEIVE, 3, "receive b1")},
               {Previous(RECEIVE, 0, "receive f0"),
                Previous(SEND, 1, "send b0"),
                Previous(RECEIVE, 2, "receive f1"),
                Previous(SEND, 3, "send b1")}});
    });
    EXPECT_CONTAINS(error, "circle");
    EXPECT_CONTAINS(error, "stage 0 operation 1 (send f1)");
    EXPECT_CONTAINS(error, "stage 0 operation 2 (receive b0)");
    EXPECT_EQ(error.find("f0"), std::string::npos) << error;
    EXPECT_EQ(error.find("b1"), std::string::npos) << error;
}

TEST(ProgramJoin, RefusesBatchingAtOneEndOnly)
{
    // GPipe: the first stage has its last send and first receive adjacent, the second has not.
    const std::string error = GetRefusal([] {
        Check({{Next(BOTH, 0, "f0 b0")}, {Previous(RECEIVE, 0, "f0"), Previous(SEND, 1, "b0")}});
    });
    EXPECT_CONTAINS(error, "stage 0 operation 0 (f0 b0), a send-receive");
    EXPECT_CONTAINS(error, "does not match stage 1 operation 0 (f0), a receive");
}

TEST(ProgramJoin, RefusesACircleThroughThreeStages)
{
    // Each stage's order is possible with either neighbour, but not with both.
    const std::string error = GetRefusal([] {
        Check({{Next(SEND, 1, "a1"), Norm(), Next(SEND, 0, "a0")},
               {Previous(RECEIVE, 0, "a0"), Next(SEND, 0, "b"), Norm(), Previous(RECEIVE, 1, "a1")},
               {Previous(RECEIVE, 0, "b"), Norm()}});
    });
    EXPECT_CONTAINS(error, "(norm)");
    EXPECT_CONTAINS(error, "circle");
}

TEST(ProgramJoin, RefusesEndsThatDisagree)
{
    Operation longer = Previous(RECEIVE, 0, "in");
    longer.receiveBytes = 101;
    EXPECT_CONTAINS(GetRefusal([&] { Check({{Next(SEND, 0, "out")}, {longer}}); }), "101 in");
    EXPECT_CONTAINS(GetRefusal([] { Check({{Next(SEND, 0, "out")}, {}}); }),
                    "stage 0 operation 0 (out) has 1 of 2 ends");
    EXPECT_CONTAINS(GetRefusal([] { Check({{Norm()}, {}, {Norm()}}); }), "has 2 of 3 ends");
    EXPECT_CONTAINS(GetRefusal([] { Check({{Next(SEND, 0, "out")}}); }), "no stage on the other");
    EXPECT_CONTAINS(GetRefusal([] { Check({{Previous(SEND, 0, "out")}}); }), "no stage on the");
    EXPECT_CONTAINS(GetRefusal([] { Check({{Norm(), Norm()}}); }), "the same counter 0");
    Operation other = Norm();
    other.kind = CollectiveKind::BROADCAST;
    EXPECT_CONTAINS(GetRefusal([&] { Check({{Norm()}, {other}}); }), "broadcast of 100");
}

} // namespace photonic
} // namespace ns3

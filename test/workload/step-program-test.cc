/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include <sstream>

namespace ns3
{
namespace photonic
{

using Part = Operation::Dependency::Part;

namespace
{

Operation
MakeCompute(const std::string& label, std::vector<Operation::Dependency> after = {})
{
    Operation o;
    o.label = label;
    o.duration = MicroSeconds(3);
    o.after = std::move(after);
    return o;
}

Operation
MakeTraffic(GroupSlot slot,
            CollectiveKind kind,
            const std::string& label,
            std::vector<Operation::Dependency> after = {})
{
    Operation o;
    o.slot = slot;
    o.kind = kind;
    o.bytes = 7;
    o.label = label;
    o.after = std::move(after);
    return o;
}

} // namespace

TEST(StepProgram, StreamsOrderWhatDependenciesDoNot)
{
    const StepProgram p({MakeCompute("a"),
                         MakeTraffic(GroupSlot::FSDP, CollectiveKind::ALL_GATHER, "b"),
                         MakeCompute("c", {{1, Part::WHOLE}}),
                         MakeTraffic(GroupSlot::FSDP, CollectiveKind::ALL_GATHER, "d")});
    EXPECT_EQ(p.GetPredecessorCount(0), 0U);
    EXPECT_EQ(p.GetPredecessorCount(1), 0U);
    EXPECT_EQ(p.GetPredecessorCount(2), 2U);
    EXPECT_EQ(p.GetPredecessorCount(3), 1U);
    ASSERT_EQ(p.GetDependents(1).size(), 2U);
    EXPECT_EQ(p.GetDependents(1)[0].operation, 2U);
    EXPECT_EQ(p.GetDependents(1)[1].operation, 3U);
    EXPECT_EQ(p.GetOperations()[3].after.size(), 0U);
}

TEST(StepProgram, DuplicatesCountOnceAndTheWholeIncludesThePart)
{
    const StepProgram p(
        {MakeTraffic(GroupSlot::PP_NEXT, CollectiveKind::SEND_RECEIVE, "a"),
         MakeTraffic(GroupSlot::PP_NEXT, CollectiveKind::SEND, "b", {{0, Part::RECEIVED}}),
         MakeCompute("c", {{0, Part::RECEIVED}, {0, Part::RECEIVED}}),
         MakeCompute("d", {{2, Part::WHOLE}, {0, Part::WHOLE}, {0, Part::RECEIVED}})});
    EXPECT_EQ(p.GetPredecessorCount(1), 1U);
    EXPECT_EQ(p.GetPredecessorCount(2), 1U);
    EXPECT_EQ(p.GetPredecessorCount(3), 2U);
    ASSERT_EQ(p.GetDependents(0).size(), 3U);
    EXPECT_EQ(p.GetDependents(0)[0].part, Part::WHOLE); // the stream waits for all of it
    EXPECT_EQ(p.GetDependents(0)[1].part, Part::RECEIVED);
    EXPECT_EQ(p.GetDependents(0)[2].part, Part::WHOLE);
}

TEST(StepProgram, RefusesDependenciesThatCannotBeFulfilled)
{
    const auto forward = GetRefusal(
        [] { StepProgram({MakeCompute("early", {{1, Part::WHOLE}}), MakeCompute("late")}); });
    EXPECT_CONTAINS(forward, "operation 0 (early)");
    EXPECT_CONTAINS(forward, "operation 1 (late)");
    EXPECT_CONTAINS(GetRefusal([] { StepProgram({MakeCompute("self", {{0, Part::WHOLE}})}); }),
                    "operation 0 (self) waits for operation 0 (self)");
    EXPECT_CONTAINS(GetRefusal([] { StepProgram({MakeCompute("a", {{9, Part::WHOLE}})}); }),
                    "operation 9");
    EXPECT_CONTAINS(GetRefusal([] {
                        StepProgram({MakeTraffic(GroupSlot::PP_NEXT, CollectiveKind::SEND, "out"),
                                     MakeCompute("in", {{0, Part::RECEIVED}})});
                    }),
                    "(out) receives, but that receives nothing");
}

TEST(StepProgram, DumpsOneLinePerOperation)
{
    std::ostringstream os;
    StepProgram({MakeTraffic(GroupSlot::PP_PREVIOUS, CollectiveKind::RECEIVE, "in"),
                 MakeCompute("work", {{0, Part::RECEIVED}})})
        .Dump(os);
    EXPECT_EQ(os.str(),
              "0 pp-previous receive bytes=7 counter=0 counted=other \"in\"\n"
              "1 - compute duration=3000000ps after=0r \"work\"\n");
}

TEST(StepProgram, MayBeEmpty)
{
    EXPECT_TRUE(StepProgram({}).GetOperations().empty());
}

} // namespace photonic
} // namespace ns3

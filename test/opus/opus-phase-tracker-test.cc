/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/opus-phase-tracker.h"

#include <gtest/gtest.h>
#include <stdexcept>

using namespace ns3::photonic;

namespace
{

const RankGroup RING{1, GroupSlot::FSDP, {4, 5}};
const RankGroup NEXT{2, GroupSlot::PP_NEXT, {4, 6}};
const RankGroup PREVIOUS{3, GroupSlot::PP_NEXT, {2, 4}};

/// Rank 4 with a ring and both pipeline neighbours.
struct OpusPhaseTrackerTest : public ::testing::Test
{
    OpusPhaseTrackerTest()
    {
        for (const auto& group : {RING, NEXT, PREVIOUS})
        {
            tracker.Add(group, 4);
        }
        tracker.BeginStep(0);
    }

    OpusPhaseTracker::Group& Group(uint32_t id)
    {
        return *tracker.Find(id);
    }

    /// @return whether it opened a phase
    bool Pass(uint32_t id)
    {
        const bool opens = tracker.Opens(Group(id));
        tracker.Pass(Group(id));
        return opens;
    }

    /// Use what passes in a first step as the profile.
    void Profile(const std::vector<std::pair<uint32_t, bool>>& openings)
    {
        PhaseProfile::Sequence profile;
        for (const auto& idAndOpens : openings)
        {
            auto& group = Group(idAndOpens.first);
            profile.push_back({group.slot, group.next, idAndOpens.second});
            tracker.Pass(group);
        }
        tracker.UseProfile(profile);
        tracker.BeginStep(1);
    }

    OpusPhaseTracker tracker;
};

} // namespace

TEST_F(OpusPhaseTrackerTest, DerivesSlotsAndPorts)
{
    EXPECT_EQ(Group(2).slot, GroupSlot::PP_NEXT);
    EXPECT_EQ(Group(2).ports, 1);
    EXPECT_EQ(Group(3).slot, GroupSlot::PP_PREVIOUS);
    EXPECT_EQ(Group(3).ports, 2);
    EXPECT_EQ(Group(1).ports, 3);
    EXPECT_EQ(tracker.Find(GroupSlot::PP_PREVIOUS), tracker.Find(3));
    EXPECT_EQ(tracker.Find(GroupSlot::PP), nullptr);
    EXPECT_THROW(tracker.Add({9, GroupSlot::FSDP, {1, 2}}, 4), std::invalid_argument);
    EXPECT_THROW(tracker.Add(RING, 4), std::invalid_argument);
}

TEST_F(OpusPhaseTrackerTest, OpensWhenOvertakenOnOneOfItsPorts)
{
    EXPECT_TRUE(Pass(1)); // first of the step
    EXPECT_FALSE(Pass(1));
    EXPECT_TRUE(Pass(2));
    EXPECT_TRUE(Pass(3));  // first use
    EXPECT_FALSE(Pass(2)); // the other neighbour has another port
    EXPECT_FALSE(Pass(3));
    EXPECT_TRUE(Pass(1));
    EXPECT_TRUE(Pass(3));
    EXPECT_TRUE(Pass(2));
    tracker.BeginStep(1);
    EXPECT_TRUE(Pass(3));  // first of the step
    EXPECT_FALSE(Pass(2)); // nobody took its port since, in the step before
    EXPECT_TRUE(Pass(1));
}

TEST_F(OpusPhaseTrackerTest, WithoutProfileThePipelineAsksAlways)
{
    EXPECT_TRUE(tracker.NeedsRequest(Group(1)));
    Pass(1);
    EXPECT_FALSE(tracker.NeedsRequest(Group(1)));
    Pass(2);
    Pass(2);
    EXPECT_FALSE(tracker.Opens(Group(2)));
    EXPECT_TRUE(tracker.NeedsRequest(Group(2)));
    tracker.Grant(tracker.GetNext(Group(2)));
    EXPECT_FALSE(tracker.NeedsRequest(Group(2)));
    Pass(2);
    EXPECT_TRUE(tracker.NeedsRequest(Group(2)));
    EXPECT_TRUE(tracker.FindBroken(Group(1)).empty());
}

TEST_F(OpusPhaseTrackerTest, ProfileDecidesAboutWhatItKnows)
{
    // The second ring operation opens a phase at another member only.
    Profile({{1, true}, {1, true}, {2, true}, {2, false}});
    EXPECT_TRUE(tracker.NeedsRequest(Group(1)));
    Pass(1);
    EXPECT_TRUE(tracker.NeedsRequest(Group(1)));
    Pass(1);
    EXPECT_TRUE(tracker.NeedsRequest(Group(1))); // the first that it does not know
    Pass(1);
    EXPECT_FALSE(tracker.NeedsRequest(Group(1))); // judged as without a profile
    Pass(2);
    EXPECT_FALSE(tracker.NeedsRequest(Group(2)));
    Pass(2);
    Pass(2);
    EXPECT_TRUE(tracker.NeedsRequest(Group(2))); // pipeline beyond the profile
    EXPECT_TRUE(tracker.NeedsRequest(Group(3))); // never used
}

TEST_F(OpusPhaseTrackerTest, FirstUseNeedsARequestWhateverTheProfile)
{
    // Learned in a run where the pair's circuit outlived the step.
    tracker.UseProfile({{GroupSlot::PP_PREVIOUS, 0, true}, {GroupSlot::PP_NEXT, 0, false}});
    Pass(3);
    EXPECT_TRUE(tracker.NeedsRequest(Group(2)));
    Pass(2);
    tracker.BeginStep(1);
    EXPECT_FALSE(tracker.NeedsRequest(Group(2)));
}

TEST_F(OpusPhaseTrackerTest, RecallsWhatOthersMayStart)
{
    Profile({{1, true}, {2, true}, {2, false}, {3, true}, {3, false}});
    Pass(1);
    Pass(2);
    // The other neighbour's port is no business of this one's.
    EXPECT_TRUE(tracker.FindBroken(Group(3)).empty());
    // The ring would take the port whose next operation the peer may start without asking.
    EXPECT_EQ(tracker.FindBroken(Group(1)), std::vector<OpusKey>{(OpusKey{1, 2, 1})});
    EXPECT_FALSE(tracker.Recall({1, 2, 1}));
    EXPECT_TRUE(tracker.FindBroken(Group(1)).empty());
    EXPECT_TRUE(tracker.NeedsRequest(Group(2)));
    tracker.Grant({1, 2, 1});
    EXPECT_FALSE(tracker.NeedsRequest(Group(2)));
    // A grant that is not used can be broken as well.
    EXPECT_EQ(tracker.FindBroken(Group(1)), std::vector<OpusKey>{(OpusKey{1, 2, 1})});
    EXPECT_FALSE(tracker.Recall({1, 2, 1}));
    EXPECT_TRUE(tracker.NeedsRequest(Group(2)));
    Pass(2);
    EXPECT_TRUE(tracker.Recall({1, 2, 1})); // started
    EXPECT_TRUE(tracker.Recall({1, 2, 0}));
}

TEST_F(OpusPhaseTrackerTest, RecallIsForTheFirstOperationFromThereOn)
{
    Profile({{1, true}, {2, true}, {2, false}, {2, false}});
    Pass(1);
    Pass(2);
    EXPECT_FALSE(tracker.Recall({1, 2, 2}));
    EXPECT_FALSE(tracker.NeedsRequest(Group(2))); // counter 1 comes before
    Pass(2);
    EXPECT_TRUE(tracker.NeedsRequest(Group(2)));
    tracker.BeginStep(2); // counter 2 did not come: the next step's first it is
    EXPECT_TRUE(tracker.NeedsRequest(Group(2)));
    Pass(2);
    EXPECT_FALSE(tracker.NeedsRequest(Group(2)));
}

TEST_F(OpusPhaseTrackerTest, RefusesTheProfileOfAnotherRank)
{
    EXPECT_THROW(tracker.UseProfile({{GroupSlot::PP, 0, true}}), std::invalid_argument);
}

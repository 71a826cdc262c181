/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/in-order-choice.h"
#include "ns3/phase-replay.h"

#include <algorithm>
#include <iostream>
#include <limits>
#include <random>
#include <sstream>

namespace ns3
{
namespace photonic
{

namespace
{

const std::string HEADER = "step,pp_stage,phase,parallelism,collectives,start_ms,end_ms";

/// Payload of a GPU in bit/s: a byte in a nanosecond.
constexpr double RATE = 8e9;

PhaseReplay
Replay(const std::string& rows, uint32_t pp, uint32_t fsdp, uint32_t step = 1)
{
    const bool hasBytes = rows.substr(0, rows.find('\n')).find(",b") != std::string::npos;
    const std::string text = hasBytes ? rows.substr(rows.find('\n') + 1) : rows;
    std::istringstream is(HEADER + (hasBytes ? ",bytes\n" : "\n") + text);
    return BuildPhaseReplay(ReadPhaseTrace(is, "trace.csv"),
                            step,
                            MakePlan(8, 1, pp, fsdp, 1),
                            RATE);
}

/// Mark of rows with a last field for bytes.
const std::string BYTES = "with,bytes\n";

std::string
RefusalOf(const std::string& rows, uint32_t pp, uint32_t fsdp, uint32_t step = 1)
{
    return GetRefusal([&] { Replay(rows, pp, fsdp, step); });
}

/**
 * @param program of a stage
 * @return its operations in short: durations of computations in microseconds, other operations with
 *         bytes out and in; those that nothing explicit waits for in brackets
 */
std::string
Describe(const StepProgram& program)
{
    const auto& operations = program.GetOperations();
    std::ostringstream os;
    for (uint32_t i = 0; i < operations.size(); ++i)
    {
        const auto& o = operations[i];
        bool awaited = false;
        for (const auto& later : operations)
        {
            for (const auto& d : later.after)
            {
                awaited = awaited || d.operation == i;
            }
        }
        os << (i ? " " : "") << (awaited ? "" : "[");
        if (o.IsCompute())
        {
            os << o.duration.GetMicroSeconds();
        }
        else
        {
            os << ToString(o.slot) << ":" << o.bytes;
            os << (o.receiveBytes > 0 ? "/" + std::to_string(o.receiveBytes) : "");
        }
        os << (awaited ? "" : "]");
    }
    return os.str();
}

/// Least sum of distances over all choices in order, by trying them.
int64_t
TryAll(const std::vector<Time>& times,
       const std::vector<Time>& partners,
       std::size_t i = 0,
       std::size_t from = 0)
{
    if (i == times.size())
    {
        return 0;
    }
    int64_t best = std::numeric_limits<int64_t>::max();
    for (std::size_t j = from; j + (times.size() - i) <= partners.size(); ++j)
    {
        best = std::min(best,
                        Abs(times[i] - partners[j]).GetTimeStep() +
                            TryAll(times, partners, i + 1, j + 1));
    }
    return best;
}

} // namespace

TEST(InOrderChoice, IsAsGoodAsTheBestOfAll)
{
    constexpr uint32_t seed = 41;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    for (uint32_t trial = 0; trial < 2000; ++trial)
    {
        const std::size_t n = random() % 6;
        const std::size_t m = n + random() % 5;
        std::vector<Time> times;
        std::vector<Time> partners;
        for (std::size_t i = 0; i < m; ++i)
        {
            partners.push_back(NanoSeconds(random() % 50));
        }
        for (std::size_t i = 0; i < n; ++i)
        {
            times.push_back(NanoSeconds(random() % 50));
        }
        const auto chosen = ChooseInOrder(times, partners);
        ASSERT_EQ(chosen.size(), n);
        int64_t sum = 0;
        for (std::size_t i = 0; i < n; ++i)
        {
            ASSERT_LT(chosen[i], m);
            ASSERT_TRUE(i == 0 || chosen[i - 1] < chosen[i]);
            sum += Abs(times[i] - partners[chosen[i]]).GetTimeStep();
        }
        ASSERT_EQ(sum, TryAll(times, partners)) << "trial " << trial;
    }
}

TEST(InOrderChoice, NeedsEnoughPartners)
{
    EXPECT_CONTAINS(GetRefusal([] { ChooseInOrder({Seconds(1), Seconds(2)}, {Seconds(1)}); }),
                    "2 instants cannot have 1 partners");
}

TEST(PhaseReplay, ComputationsLieBetweenRings)
{
    // Two ranks: of 2,000,000 bytes in all a rank sends half, in 1 ms. 3 rings in 9 ms.
    const auto replay = Replay(BYTES + "1,0,0,fsdp,3,2,11,6000000\n"
                                       "1,0,1,fsdp,1,15,20,2000000\n"
                                       "2,0,0,fsdp,1,32,33,0\n",
                               1,
                               2);
    EXPECT_EQ(replay.tooShort, 0U);
    EXPECT_EQ(Describe(*replay.programs[0]),
              "fsdp:2000000 3000 fsdp:2000000 3000 fsdp:2000000 4000 fsdp:2000000 [16000]");
}

TEST(PhaseReplay, LastStepEndsAsTheOneBefore)
{
    const std::string rows = BYTES + "1,0,0,fsdp,1,5,6,2000000\n"
                                     "2,0,0,fsdp,1,13,14,2000000\n"
                                     "2,0,1,fsdp,1,20,21,2000000\n";
    EXPECT_EQ(Describe(*Replay(rows, 1, 2, 1).programs[0]), "fsdp:2000000 [7000]");
    EXPECT_EQ(Describe(*Replay(rows, 1, 2, 2).programs[0]),
              "fsdp:2000000 6000 fsdp:2000000 [7000]");
    EXPECT_EQ(Describe(*Replay(BYTES + "1,0,0,fsdp,1,5,6,2000000\n", 1, 2).programs[0]),
              "[fsdp:2000000]");
}

TEST(PhaseReplay, TransfersThatDoNotFitAreCounted)
{
    const auto replay = Replay(BYTES + "1,0,0,fsdp,2,0,1,4000000\n"
                                       "1,0,1,fsdp,1,4,4.5,2000000\n"
                                       "1,0,2,fsdp,1,9,10,2000000\n",
                               1,
                               2);
    EXPECT_EQ(replay.tooShort, 2U);
    // The computations stay what they were.
    EXPECT_EQ(Describe(*replay.programs[0]),
              "fsdp:2000000 fsdp:2000000 3000 fsdp:2000000 4500 [fsdp:2000000]");
}

TEST(PhaseReplay, WithoutBytesLayersAreGatheredAndActivationsSent)
{
    const auto plan = MakePlan(8, 1, 2, 2, 1);
    const auto& shape = plan.model.GetShape();
    const uint64_t q = shape.heads * shape.headDim;
    const uint64_t kv = shape.kvHeads * shape.headDim;
    const uint64_t layer = shape.hidden * (2 * q + 2 * kv) +
                           3 * uint64_t{shape.hidden} * shape.intermediate + 2 * shape.hidden;
    const auto replay = Replay("1,0,0,fsdp,1,0,1\n1,0,1,pp,1,2,3\n"
                               "1,1,0,fsdp,1,0,1\n1,1,1,pp,1,2,3\n",
                               2,
                               2);
    const auto& operations = replay.programs[0]->GetOperations();
    EXPECT_EQ(operations[0].bytes, 2 * layer);
    EXPECT_EQ(operations.back().bytes, plan.GetTransferBytes());
    EXPECT_EQ(operations.back().receiveBytes, plan.GetTransferBytes());
}

TEST(PhaseReplay, WhoDidNotWaitOnlySent)
{
    // As in the measured trace: stage 0 sends and goes on, and later waits for both.
    const auto replay = Replay("1,0,0,pp,1,10,9\n1,0,1,fsdp,1,11,12\n1,0,2,pp,1,13,60\n"
                               "1,0,3,fsdp,1,170,171\n"
                               "1,1,0,pp,2,100,104\n1,1,1,fsdp,2,120,124\n",
                               2,
                               2);
    const auto& first = replay.programs[0]->GetOperations();
    const auto& second = replay.programs[1]->GetOperations();
    EXPECT_EQ(first[0].slot, GroupSlot::PP_NEXT);
    EXPECT_EQ(first[0].kind, CollectiveKind::SEND);
    EXPECT_EQ(first[1].duration, MilliSeconds(1));
    EXPECT_TRUE(first[1].after.empty());
    // first[2], first[3]: all-gather, computation
    EXPECT_EQ(first[4].kind, CollectiveKind::SEND_RECEIVE);
    // It went on 70 ms after the other end had come, and the transfers are not in its phase.
    EXPECT_EQ(first[5].duration, MilliSeconds(70));
    EXPECT_EQ(first[5].after[0].operation, 4U);
    EXPECT_EQ(first[5].after[0].part, Operation::Dependency::Part::RECEIVED);
    EXPECT_EQ(second[0].duration, MilliSeconds(90));
    EXPECT_EQ(second[1].kind, CollectiveKind::RECEIVE);
    EXPECT_EQ(second[2].kind, CollectiveKind::SEND_RECEIVE);
    // What it waited for had come before.
    EXPECT_EQ(second[3].duration, MilliSeconds(20));
}

TEST(PhaseReplay, DirectionsFollowFromWhoSendsNothing)
{
    // Two microbatches forward and back through three stages; a transfer is 1,000,000 bytes a rank.
    const auto replay = Replay(BYTES + "1,0,0,pp,1,10,11,2000000\n1,0,1,fsdp,1,11,12,2\n"
                                       "1,0,2,pp,2,20,51,2000000\n1,0,3,fsdp,1,51,52,2\n"
                                       "1,0,4,pp,1,60,61,0\n"
                                       "1,1,0,pp,1,10,11,0\n1,1,1,fsdp,1,11,12,2\n"
                                       "1,1,2,pp,2,15,21,2000000\n1,1,3,fsdp,1,31,32,2\n"
                                       "1,1,4,pp,2,32,41,2000000\n1,1,5,fsdp,1,41,42,2\n"
                                       "1,1,6,pp,2,50,53,2000000\n1,1,7,fsdp,1,53,54,2\n"
                                       "1,1,8,pp,1,60,61,2000000\n"
                                       "1,2,0,pp,1,15,16,0\n1,2,1,fsdp,1,21,22,2\n"
                                       "1,2,2,pp,1,32,33,0\n1,2,3,fsdp,1,33,34,2\n"
                                       "1,2,4,pp,1,40,41,2000000\n1,2,5,fsdp,1,42,43,2\n"
                                       "1,2,6,pp,1,52,53,2000000\n",
                               3,
                               2);
    const auto transfers = [&replay](uint32_t stage) {
        std::string all;
        for (const auto& o : replay.programs[stage]->GetOperations())
        {
            if (o.parallelism == Parallelism::PP)
            {
                EXPECT_EQ(o.bytes + o.receiveBytes, 1000000U) << o.label;
                all +=
                    std::string(all.empty() ? "" : " ") + ToString(o.kind) + " " + ToString(o.slot);
            }
        }
        return all;
    };
    EXPECT_EQ(transfers(0), "send pp-next send pp-next receive pp-next receive pp-next");
    EXPECT_EQ(transfers(1),
              "receive pp-previous send pp-next receive pp-previous send pp-next receive pp-next "
              "send pp-previous receive pp-next send pp-previous");
    EXPECT_EQ(transfers(2),
              "receive pp-previous receive pp-previous send pp-previous send pp-previous");
}

TEST(PhaseReplay, NothingIsExchangedIfNeitherEndSends)
{
    const auto replay = Replay(BYTES + "1,0,0,pp,1,10,10,0\n1,1,0,pp,1,12,12,0\n", 2, 1);
    EXPECT_EQ(replay.programs[0]->GetOperations()[0].kind, CollectiveKind::SEND_RECEIVE);
    EXPECT_EQ(Describe(*replay.programs[0]), "[pp-next:0]");
    EXPECT_EQ(Describe(*replay.programs[1]), "2000 [pp-previous:0]");
}

TEST(PhaseReplay, OtherIsReducedOverTheGroupsOfTheJob)
{
    EXPECT_EQ(Describe(*Replay("1,0,0,other,1,0,1\n", 1, 2).programs[0]), "[fsdp:4]");
    const std::string both = "1,0,0,other,2,0,1\n1,1,0,other,2,3,4\n2,0,0,pp,1,9,9\n";
    const auto replay = Replay(both, 2, 2);
    // Both go on when the last has come.
    EXPECT_EQ(Describe(*replay.programs[0]), "fsdp:4 pp:4 [6000]");
    EXPECT_EQ(Describe(*replay.programs[1]), "3000 fsdp:4 pp:4 [6000]");
    EXPECT_EQ(Describe(*Replay("1,0,0,other,1,0,1\n1,1,0,other,1,3,4\n", 2, 1).programs[0]),
              "[pp:4]");
}

TEST(PhaseReplay, PhasesThatOverlapSetNothingBack)
{
    // The second phase begins, and is over, before the first ends; the third starts at 20 ms.
    const auto replay = Replay(BYTES + "1,0,0,fsdp,1,0,1,2000000\n1,0,1,pp,1,4,5,1000000\n"
                                       "1,0,2,fsdp,1,30,31,2000000\n"
                                       "1,1,0,fsdp,2,0,8,4000000\n1,1,1,pp,1,5,5.5,0\n"
                                       "1,1,2,fsdp,1,20,21,2000000\n",
                               2,
                               2);
    EXPECT_EQ(Describe(*replay.programs[1]),
              "fsdp:2000000 6000 fsdp:2000000 pp-previous:0/500000 12000 [fsdp:2000000]");
}

TEST(PhaseReplay, TheLowestRailSpeaks)
{
    std::istringstream is("rail," + HEADER +
                          "\n"
                          "2,1,0,0,fsdp,1,0,1\n"
                          "1,1,0,0,fsdp,2,0,1\n");
    const auto replay = BuildPhaseReplay(ReadPhaseTrace(is, "t"), 1, MakePlan(8, 1, 1, 2, 1), RATE);
    EXPECT_EQ(replay.programs[0]->GetOperations().size(), 3U);
}

TEST(PhaseReplay, RefusesWhatDoesNotGoTogether)
{
    const std::string pair = "1,0,0,pp,1,0,1\n1,1,0,pp,1,0,1\n";

    const struct
    {
        std::string rows;
        uint32_t pp;
        uint32_t fsdp;
        const char* expected;
    } cases[]{
        {"", 1, 2, "there are no phases"},
        {pair, 4, 1, "the trace has 2 pipeline stages, expected those of --pp=4"},
        {"2,0,0,fsdp,1,0,1\n3,0,0,fsdp,1,0,1\n",
         1,
         2,
         "the trace has no step 1, expected --replayStep from 2 to 3"},
        {"1,0,0,pp,1,0,1\n2,1,0,pp,1,0,1\n",
         2,
         1,
         "step 1 stage 1: found no phases, expected at least one"},
        {pair + "1,1,0,pp,1,0,1\n", 2, 1, "step 1 stage 1 phase 0: found twice, expected once"},
        {"1,0,0,fsdp,0,0,1\n", 1, 2, "step 1 stage 0 phase 0: found fsdp of 0 collectives"},
        {"1,0,0,fsdp,100001,0,1\n",
         1,
         2,
         "found fsdp of 100001 collectives, expected at least 1, "},
        {"1,0,0,fsdp,1,0,1\n",
         1,
         1,
         "phase 0: found fsdp of 1 collective, expected --fsdp above 1"},
        {"1,0,3,pp,2,0,1\n", 1, 2, "stage 0 phase 3: found pp of 2 collectives, expected --pp"},
        {"1,0,0,tp,2,0,1\n",
         1,
         2,
         "stage 0 phase 0: found tp of 2 collectives, expected no phases"},
        {"1,0,0,other,2,0,1\n", 1, 2, "found other of 2 collectives, expected at most 1, one for"},
        {"1,0,0,other,2,0,1\n1,1,0,other,1,0,1\n", 2, 2, "has 1 of 2 ends"},
        {"1,0,0,pp,2,0,1\n1,1,0,pp,1,0,1\n",
         2,
         1,
         "step 1 stage 1: found 1 pipeline operations, expected 2, as stage 0 has left"},
        {"1,0,0,pp,1,0,1\n1,1,0,pp,2,0,1\n1,2,0,pp,2,0,1\n",
         3,
         1,
         "step 1 stage 2: found 2 pipeline operations, expected 1, as stage 1 has left"},
        {"1,0,0,pp,3,0,1\n1,1,0,pp,2,0,1\n1,2,0,pp,2,0,1\n",
         3,
         1,
         "step 1 stage 1: found 2 pipeline operations, expected at least 3, as stage 0 has left"},
        {"1,0,0,pp,1,0,1\n1,0,1,other,1,1,2\n1,1,0,other,1,0,1\n1,1,1,pp,1,2,3\n",
         2,
         1,
         "the stages wait for each other in a circle"},
    };

    for (const auto& c : cases)
    {
        EXPECT_CONTAINS(RefusalOf(c.rows, c.pp, c.fsdp), c.expected);
    }
    // Times and volumes that the clock may not hold.
    const double most = 1000 * Time::Max().GetSeconds();
    EXPECT_CONTAINS(RefusalOf("1,0,0,fsdp,1,0," + std::to_string(most / 2) + "\n", 1, 2),
                    "s, expected at most");
    EXPECT_CONTAINS(RefusalOf(BYTES + "1,0,0,fsdp,1,0,1,9000000000000000000\n", 1, 2),
                    "s, expected at most");
    // The groups stay inside a node.
    std::istringstream is(HEADER + "\n1,0,0,fsdp,1,0,1\n");
    auto plan = MakePlan(8, 1, 1, 2, 1);
    plan.degrees.gpusPerNode = 2;
    EXPECT_CONTAINS(GetRefusal([&] { BuildPhaseReplay(ReadPhaseTrace(is, "t"), 1, plan, RATE); }),
                    "expected --fsdp above 1, and groups that leave their node");
    // They do not know of other parallelisms, nor of groups that span rails.
    plan.degrees.cp = 2;
    const PhaseTrace none;
    EXPECT_CONTAINS(GetRefusal([&] { BuildPhaseReplay(none, 1, plan, RATE); }), "cp 2, ep 1");
    plan.degrees.cp = 1;
    plan.degrees.fsdp = 4;
    EXPECT_CONTAINS(GetRefusal([&] { BuildPhaseReplay(none, 1, plan, RATE); }),
                    "the fsdp group spans rails");
}

} // namespace photonic
} // namespace ns3

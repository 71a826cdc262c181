/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TWO_STAGE_JOB_H
#define PHOTONIC_TWO_STAGE_JOB_H

#include "test-job.h"

namespace ns3
{
namespace photonic
{

/**
 * Two stages of two ranks, worked out by hand in microseconds from the start of the step:
 *
 *     stage 0                          stage 1
 *     all-gather      0    -  1.1      all-gather      0    -  1.1
 *     compute         1.1  -  6.1
 *     send            6.1  -  9.2      receive         6.2  -  9.2
 *                                      compute         9.2  - 13.2
 *     receive        13.3  - 16.3      send           13.2  - 16.3
 *     compute        16.3  - 18.3      reduce-scatter 16.3  - 18.4
 *     reduce-scatter 18.3  - 20.4
 *
 * Stage 1 begins its next step 2 us before stage 0.
 */
inline TestJob::Options
MakeTwoStageJob(uint32_t steps)
{
    using Kind = CollectiveKind;
    TestJob::Options options;
    options.degrees.fsdp = 2;
    options.degrees.pp = 2;
    options.steps = steps;
    const auto next = GroupSlot::PP_NEXT;
    const auto previous = GroupSlot::PP_PREVIOUS;
    options.programs = {
        {MakeCollective("gather", GroupSlot::FSDP, Kind::ALL_GATHER, 4 * FULL, 0),
         MakeCompute("forward", MicroSeconds(5), {{0, Part::WHOLE}}),
         MakeTransfer("send", next, Kind::SEND, 3 * FULL, 0, 0, {{1, Part::WHOLE}}),
         MakeTransfer("receive", next, Kind::RECEIVE, 0, 3 * FULL, 1),
         MakeCompute("backward", MicroSeconds(2), {{3, Part::WHOLE}}),
         MakeCollective("scatter",
                        GroupSlot::FSDP,
                        Kind::REDUCE_SCATTER,
                        8 * FULL,
                        1,
                        {{4, Part::WHOLE}})},
        {MakeCollective("gather", GroupSlot::FSDP, Kind::ALL_GATHER, 4 * FULL, 0),
         MakeTransfer("receive", previous, Kind::RECEIVE, 0, 3 * FULL, 0),
         MakeCompute("both", MicroSeconds(4), {{0, Part::WHOLE}, {1, Part::WHOLE}}),
         MakeTransfer("send", previous, Kind::SEND, 3 * FULL, 0, 1, {{2, Part::WHOLE}}),
         MakeCollective("scatter",
                        GroupSlot::FSDP,
                        Kind::REDUCE_SCATTER,
                        8 * FULL,
                        1,
                        {{3, Part::WHOLE}})}};
    return options;
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TWO_STAGE_JOB_H

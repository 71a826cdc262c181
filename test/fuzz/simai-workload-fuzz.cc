/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/simai-program.h"
#include "ns3/simai-workload.h"

#include <sstream>

using namespace ns3;
using namespace ns3::photonic;

int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    SimaiWorkload workload;
    const bool accepted = Accepts("w.txt:", [&] {
        std::istringstream is(ToText(data, size));
        workload = ReadSimaiWorkload(is, "w.txt");
    });
    if (!accepted)
    {
        return 0;
    }
    Require(!workload.layers.empty(), "a workload has rows");
    // Of a job that it may be one of.
    ParallelPlan::Degrees degrees;
    degrees.tp = std::min(workload.tensorParallel, 64U);
    degrees.ep = std::min(workload.expertParallel, 4U);
    degrees.gpusPerNode = degrees.tp;
    degrees.dp = workload.gpus % 3 == 2 ? 2 : 1;
    degrees.fsdp = workload.gpus % 3 == 1 ? 2 : 1;
    Accepts("w.txt:", [&] {
        const auto program = BuildSimaiProgram(workload, degrees);
        Require(program->GetOperations().size() >= 3 * workload.layers.size(),
                "every pass is in the program");
    });
    return 0;
}

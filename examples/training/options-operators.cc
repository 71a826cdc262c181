/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "options-operators.h"

#include "ns3/operator-model.h"
#include "ns3/operator-program-builder.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

void
ReconcileOperators(Options& o)
{
    if (!o.IsGraph())
    {
        return;
    }
    const std::string name = "--operators=" + o.operators;
    const auto expect = [&name](bool agrees, const std::string& expected) {
        if (!agrees)
        {
            throw std::invalid_argument(name + ": expected " + expected);
        }
    };
    const auto& degrees = o.plan.degrees;
    expect(!o.IsReplay(), "no --replay");
    expect(degrees.tp == 1 && degrees.cp == 1 && degrees.ep == 1 && degrees.pp == 1 &&
               degrees.fsdp == 1,
           "no --tp, --cp, --ep, --pp or --fsdp, as an operator is split over --mp GPUs");
    expect(degrees.gpusPerNode == 1, "--gpusPerNode=1");
    expect(!o.strictMemory, "no --strictMemory, as it is not known what an operator keeps");
    expect(o.mpi == "off", "--mpi=off");
    const bool dedicated = o.IsSip(); // each pair has circuits of its own
    expect(o.fidelity == "packet" || (o.fidelity == "message" && dedicated),
           std::string("--fidelity=packet") + (dedicated ? " or message" : ""));
    const auto& model = FindOperatorModel(o.operators);
    if (o.given.count("sequenceLength") == 0)
    {
        o.plan.sequenceLength = model.tokens;
    }
    if (o.given.count("gradientBytes") == 0)
    {
        o.plan.gradientBytes = 4;
    }
    try
    {
        model.Build(1, o.plan.sequenceLength);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument("--sequenceLength=" + std::to_string(o.plan.sequenceLength) +
                                    ": " + error.what());
    }
}

ParallelPlan::Degrees
Options::GetDegrees() const
{
    if (!IsGraph())
    {
        auto degrees = plan.degrees;
        degrees.matchings = degrees.ep > 1 && GetAllToAll() == "matchings";
        if (IsReplay() || IsImport())
        {
            degrees.interleave = importRing ? 2 : 1; // phase traces know neighbours only
        }
        return degrees;
    }
    PlacementLimits limits;
    limits.gpus = mp;
    limits.groups = plan.degrees.dp;
    return GetOperatorDegrees(limits);
}

double
Options::GetModelFlopsPerStep() const
{
    if (!IsGraph())
    {
        return plan.GetModelFlopsPerStep();
    }
    return FindOperatorModel(operators)
               .Build(plan.microbatchSize, plan.sequenceLength)
               .GetTotal()
               .flops *
           plan.degrees.dp;
}

} // namespace photonic
} // namespace ns3

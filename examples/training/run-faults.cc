/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run-faults.h"

#include "ns3/double.h"
#include "ns3/fault-helper.h"
#include "ns3/pointer.h"
#include "ns3/random-quantity.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

// First streams, far from those of the fabric.
constexpr int64_t CONTROL_STREAM = 500'000; ///< of control messages
constexpr int64_t FIRST_STREAM = 1'000'000; ///< of what breaks

} // namespace

Ptr<ControlFaults>
MakeControlFaults(const Options& options)
{
    if (options.controlLoss == 0 && options.controlDuplication == 0 &&
        options.controlJitter.IsZero())
    {
        return nullptr;
    }
    auto faults = CreateObject<RandomControlFaults>();
    faults->SetAttribute("Loss", DoubleValue(options.controlLoss));
    faults->SetAttribute("Duplication", DoubleValue(options.controlDuplication));
    if (!options.controlJitter.IsZero())
    {
        auto delay = CreateObject<UniformRandomVariable>();
        delay->SetAttribute("Max", DoubleValue(options.controlJitter.GetSeconds()));
        faults->SetAttribute("Delay", PointerValue(delay));
    }
    faults->AssignStreams(CONTROL_STREAM);
    return faults;
}

void
InstallFaults(const Options& options,
              const TrainingFabric& fabric,
              Ptr<TrainingJob> job,
              const OpusHelper* opus)
{
    const auto& faults = options.faults;
    for (const auto& ports : fabric.ports)
    {
        for (const auto& port : ports)
        {
            if (!faults.bringUp.empty())
            {
                port->SetAttribute("BringUpTime", PointerValue(ParseRandomTime(faults.bringUp)));
            }
        }
    }
    for (const auto& ocs : fabric.circuitSwitches)
    {
        if (!faults.turningTime.empty())
        {
            ocs->SetAttribute("TurningTime", PointerValue(ParseRandomTime(faults.turningTime)));
        }
    }
    for (const auto& [which, factor] : faults.stragglers)
    {
        for (const auto& rank : job->GetRanks())
        {
            if (which == FaultOptions::ALL || which == rank->GetRank())
            {
                rank->SetAttribute("Slowdown", PointerValue(ParseRandomNumber(factor)));
            }
        }
    }
    if (faults.bitErrorRate > 0)
    {
        FaultHelper::SetBitErrorRate(fabric, faults.bitErrorRate);
    }
    const int64_t used = FaultHelper::AssignStreams(fabric, job, FIRST_STREAM);
    if (!faults.schedule)
    {
        return;
    }
    FaultHelper helper;
    helper.SetSchedule(*faults.schedule);
    try
    {
        helper.Install(fabric, job, opus)->AssignStreams(FIRST_STREAM + used);
    }
    catch (const std::invalid_argument& refusal)
    {
        throw std::invalid_argument("--faults=" + faults.file + ": " + refusal.what());
    }
}

} // namespace photonic
} // namespace ns3

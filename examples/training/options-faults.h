/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTIONS_FAULTS_H
#define PHOTONIC_OPTIONS_FAULTS_H

#include "options-table.h"

namespace ns3
{
namespace photonic
{

/// @return the form of --faults: a FaultSchedule
Form FaultFile();

/// @param field of FaultOptions that keeps the text @return the form of a time that is drawn
Form RandomTime(std::string FaultOptions::* field);

/// @return the form of --straggler: ranks or "all", each with a factor that is drawn
Form Stragglers();

/// @return the form of --ber
Form BitErrorRate();

/**
 * Check what breaks against what there is.
 * @param options of the run, with degrees
 * @throws std::invalid_argument with one line that names the option
 */
void CheckFaults(const Options& options);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTIONS_FAULTS_H

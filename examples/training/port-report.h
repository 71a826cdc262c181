/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PORT_REPORT_H
#define PHOTONIC_PORT_REPORT_H

#include "ns3/training-fabric-helper.h"

#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @param fabric after a run
 * @param elapsed how long it was
 * @return ports.csv: a row for each NIC port, and each port of a packet switch, with what it has
 *         sent, the share of the time that this took, the longest queue and for how long it was
 *         paused, all priorities together
 */
std::string ReportPorts(const TrainingFabric& fabric, Time elapsed);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PORT_REPORT_H

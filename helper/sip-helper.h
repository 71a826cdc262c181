/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_HELPER_H
#define PHOTONIC_SIP_HELPER_H

#include "training-fabric-helper.h"

#include "ns3/sip-controller.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief Has the circuits of a WDM fabric follow what waits at the ports of a job.
 *
 * The controller is aggregated to the fabric, which keeps it.
 *
 * @param fabric on which a job, or endpoints with a port for each device, have been installed
 * @param strategy which circuits a demand gets
 * @param liveTime of an epoch
 * @return the controller
 * @throws std::invalid_argument if the live time is too short for a packet, or if a rank has no
 *         endpoint
 */
Ptr<SipController> InstallSipController(const TrainingFabric& fabric,
                                        Ptr<const SipStrategy> strategy,
                                        Time liveTime);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_HELPER_H

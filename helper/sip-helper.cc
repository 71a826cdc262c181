/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "sip-helper.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

Ptr<SipController>
InstallSipController(const TrainingFabric& fabric, Ptr<const SipStrategy> strategy, Time liveTime)
{
    auto controller = CreateObject<SipController>();
    controller->SetAttribute("LiveTime", TimeValue(liveTime));
    for (uint32_t rank = 0; rank < fabric.portTo.size(); rank++)
    {
        auto endpoint = fabric.gpus.Get(rank)->GetObject<MessageEndpoint>();
        if (!endpoint)
        {
            throw std::invalid_argument("rank " + std::to_string(rank) +
                                        " has no MessageEndpoint whose demand could be followed");
        }
        for (const auto& [peer, port] : fabric.portTo[rank])
        {
            controller->AddPort(rank, peer, endpoint, port);
        }
    }
    controller->Start(fabric.wdm, strategy);
    fabric.wdm->AggregateObject(controller);
    return controller;
}

} // namespace photonic
} // namespace ns3

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPUS_TEST_RAIL_H
#define PHOTONIC_OPUS_TEST_RAIL_H

#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/optical-channel.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/optical-net-device.h"

/// A circuit switch with a device behind each of its first ports.
struct OpusTestRail
{
    OpusTestRail(uint32_t ports, ns3::Time delay)
    {
        using namespace ns3;
        using namespace ns3::photonic;
        ocs = CreateObject<OpticalCircuitSwitch>();
        ocs->SetAttribute("ReconfigurationDelay", TimeValue(delay));
        auto node = CreateObject<Node>();
        for (uint32_t port = 0; port < ports; ++port)
        {
            auto device = CreateObject<OpticalNetDevice>();
            node->AddDevice(device);
            auto fibre = CreateObject<OpticalChannel>();
            fibre->SetAttribute("Delay", TimeValue(Time(0)));
            device->Attach(fibre);
            ocs->Attach(port, fibre);
        }
    }

    /// @return whether light passes both ways
    bool HasCircuit(const ns3::photonic::Circuit& c) const
    {
        return ocs->GetOutput(c.in) == c.out && ocs->GetOutput(c.out) == c.in;
    }

    ns3::Ptr<ns3::photonic::OpticalCircuitSwitch> ocs;
};

#endif // PHOTONIC_OPUS_TEST_RAIL_H

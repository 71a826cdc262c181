/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/optical-circuit-switch.h"
#include "ns3/rail-helper.h"

#include <iostream>

int
main()
{
    ns3::photonic::PhotonicRailHelper rail;
    rail.Install(ns3::NodeContainer(2), 1);
    std::cout << rail.GetSwitch()->GetRadix() << std::endl;
}

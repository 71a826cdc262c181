/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Runs one case in as many processes as there are. Each writes what happened in it, a line for each
 * thing and instant, into a file of its own. Sorted, the lines are the same for any number of
 * processes: distributed-test.sh compares them.
 */
#include "distributed-cases.h"

#include "ns3/global-value.h"
#include "ns3/mpi-interface.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <fstream>
#include <iostream>
#include <map>
#include <string>

using namespace ns3;

int
main(int argc, char* argv[])
{
    const std::map<std::string, std::string> simulators = {
        {"one", ""},
        {"granted", "ns3::DistributedSimulatorImpl"},
        {"null", "ns3::NullMessageSimulatorImpl"},
    };
    const std::map<std::string, void (*)(const DistributedCase&, std::ostream&)> cases = {
        {"circuits", RunCircuits},
        {"queues", RunQueues},
        {"rings", RunRings},
    };
    if (argc != 5 || simulators.count(argv[1]) == 0 || cases.count(argv[2]) == 0)
    {
        std::cerr << "usage: " << argv[0] << " one|granted|null circuits|queues|rings SEED FILE"
                  << std::endl;
        return 2;
    }
    const std::string simulator = simulators.at(argv[1]);
    if (!simulator.empty())
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue(simulator));
        MpiInterface::Enable(&argc, &argv);
    }
    Time::SetResolution(Time::PS);
    DistributedCase run;
    run.seed = std::stoul(argv[3]);
    run.systems = simulator.empty() ? 1 : MpiInterface::GetSize();
    std::ofstream lines(std::string(argv[4]) + "." + std::to_string(MpiInterface::GetSystemId()));
    cases.at(argv[2])(run, lines);
    Simulator::Destroy();
    if (!simulator.empty())
    {
        MpiInterface::Disable();
    }
}

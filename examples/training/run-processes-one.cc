/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run-processes.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

std::unique_ptr<RunProcesses>
RunProcesses::Create(int argc, char** argv)
{
    for (int i = 1; i < argc; i++)
    {
        const std::string argument = argv[i];
        if (argument == "--mpi=granted" || argument == "--mpi=null")
        {
            throw std::invalid_argument(argument +
                                        ": expected off: this ns-3 was built without MPI");
        }
    }
    return std::make_unique<RunProcesses>();
}

} // namespace photonic
} // namespace ns3

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "process-group.h"

#include "ns3/mpi-interface.h"

#include <algorithm>
#include <cstdlib>
#include <mpi.h>

namespace ns3
{
namespace photonic
{

namespace
{

template <typename T>
T
Add(T value, MPI_Datatype type)
{
    T sum{};
    MPI_Allreduce(&value, &sum, 1, type, MPI_SUM, MpiInterface::GetCommunicator());
    return sum;
}

} // namespace

uint64_t
ProcessGroup::Sum(uint64_t value)
{
    return Add(value, MPI_UINT64_T);
}

double
ProcessGroup::Sum(double value)
{
    return Add(value, MPI_DOUBLE);
}

std::vector<std::string>
ProcessGroup::Gather(const std::string& bytes)
{
    // In pieces: MPI counts what it sends in 31 bits.
    constexpr uint64_t PIECE = 1u << 26;
    constexpr int TAG = 1;
    const auto communicator = MpiInterface::GetCommunicator();
    const uint32_t self = MpiInterface::GetSystemId();
    std::vector<std::string> all;
    if (self != 0)
    {
        uint64_t size = bytes.size();
        MPI_Send(&size, 1, MPI_UINT64_T, 0, TAG, communicator);
        for (uint64_t at = 0; at < size; at += PIECE)
        {
            MPI_Send(bytes.data() + at, std::min(PIECE, size - at), MPI_CHAR, 0, TAG, communicator);
        }
        return all;
    }
    all.push_back(bytes);
    for (uint32_t system = 1; system < MpiInterface::GetSize(); system++)
    {
        uint64_t size = 0;
        MPI_Recv(&size, 1, MPI_UINT64_T, system, TAG, communicator, MPI_STATUS_IGNORE);
        all.emplace_back(size, '\0');
        for (uint64_t at = 0; at < size; at += PIECE)
        {
            MPI_Recv(all.back().data() + at,
                     std::min(PIECE, size - at),
                     MPI_CHAR,
                     system,
                     TAG,
                     communicator,
                     MPI_STATUS_IGNORE);
        }
    }
    return all;
}

void
ProcessGroup::Abort(int exitCode)
{
    MPI_Abort(MpiInterface::GetCommunicator(), exitCode);
    std::abort(); // MPI_Abort() does not return, and does not say so
}

} // namespace photonic
} // namespace ns3

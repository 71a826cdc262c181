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
Reduce(T value, MPI_Datatype type, MPI_Op operation)
{
    T result{};
    MPI_Allreduce(&value, &result, 1, type, operation, MpiInterface::GetCommunicator());
    return result;
}

} // namespace

uint64_t
ProcessGroup::Sum(uint64_t value)
{
    return Reduce(value, MPI_UINT64_T, MPI_SUM);
}

double
ProcessGroup::Sum(double value)
{
    return Reduce(value, MPI_DOUBLE, MPI_SUM);
}

double
ProcessGroup::Max(double value)
{
    return Reduce(value, MPI_DOUBLE, MPI_MAX);
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

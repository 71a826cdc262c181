/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "gate-sequence.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

GateSequence::GateSequence(const StepProgram& program,
                           const std::array<bool, GROUP_SLOTS>& scaleOut)
{
    uint32_t next = 0;
    for (const auto& operation : program.GetOperations())
    {
        const auto slot = static_cast<std::size_t>(operation.slot);
        const bool gated = !operation.IsCompute() && scaleOut[slot];
        m_sequence.push_back(gated ? next++ : NONE);
        if (!operation.IsCompute())
        {
            m_operations[slot]++;
        }
        if (operation.slot == GroupSlot::MP)
        {
            m_transfers.resize(std::max<std::size_t>(m_transfers.size(), operation.peer + 1));
            m_transfers[operation.peer]++;
        }
    }
}

bool
GateSequence::IsGated(uint32_t operation) const
{
    return m_sequence[operation] != NONE;
}

uint32_t
GateSequence::Get(uint32_t operation) const
{
    return m_sequence[operation];
}

uint32_t
GateSequence::GetOperations(GroupSlot slot) const
{
    return m_operations[static_cast<std::size_t>(slot)];
}

uint32_t
GateSequence::GetTransfers(uint32_t peer) const
{
    return m_transfers.at(peer);
}

} // namespace photonic
} // namespace ns3

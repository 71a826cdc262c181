/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_GATE_SEQUENCE_H
#define PHOTONIC_GATE_SEQUENCE_H

#include "ns3/step-program.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-job
 * @brief The numbers of the scale-out operations of a program, as a gate sees them.
 *
 * Shared by all ranks whose groups leave the node in the same way.
 */
class GateSequence
{
  public:
    /**
     * @param program of the ranks
     * @param scaleOut for each GroupSlot whether its group leaves the node
     */
    GateSequence(const StepProgram& program, const std::array<bool, GROUP_SLOTS>& scaleOut);

    /// @param operation index in the program @return whether it passes the gate
    bool IsGated(uint32_t operation) const;
    /// @param operation index of a gated operation @return its number, from 0 without gaps
    uint32_t Get(uint32_t operation) const;
    /// @param slot a group @return operations of that group in one step
    uint32_t GetOperations(GroupSlot slot) const;
    /// @param peer position of a rank @return MP transfers with it in one step, either way
    uint32_t GetTransfers(uint32_t peer) const;

  private:
    static constexpr uint32_t NONE = 0xffffffff;
    std::vector<uint32_t> m_sequence;
    std::array<uint32_t, GROUP_SLOTS> m_operations{};
    std::vector<uint32_t> m_transfers; ///< by peer
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_GATE_SEQUENCE_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PORT_LAYOUT_H
#define PHOTONIC_PORT_LAYOUT_H

#include "ns3/communicator.h"
#include "ns3/data-rate.h"
#include "ns3/step-program.h"

#include <array>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief Which of two shared NIC ports sends and receives of a pipeline use.
 */
enum class PipelineLanes
{
    ONE_PER_NEIGHBOUR, ///< port 0 towards the next stage, port 1 towards the previous one
    STRIPED,           ///< both side by side, stripe i from port i to port i: for packet switches
    BOTH_TO_PEER,      ///< both, as in a ring of two: for circuits that turn for each neighbour
};

/**
 * @ingroup photonic-rails-helper
 * @brief The NIC ports of a GPU, and which of them each communicator uses.
 *
 * A ring leaves by port 0 towards the next member's port 1, and by port 1 towards the previous
 * member's port 0; with two members both ports reach the same peer. A pipeline stage has port 0
 * towards the next stage and port 1 towards the previous one.
 */
struct PortLayout
{
    std::vector<DataRate> ports;                                    ///< rate of each port
    std::array<std::vector<Communicator::Lane>, GROUP_SLOTS> lanes; ///< by GroupSlot

    /// @param slot kind of the group @return its lanes, in order
    const std::vector<Communicator::Lane>& GetLanes(GroupSlot slot) const
    {
        return lanes[static_cast<std::size_t>(slot)];
    }

    /**
     * All parallelisms share the ports.
     * @param rate of a GPU, split evenly over the ports (a remainder of bit/s is left unused)
     * @param nicPorts 1 or 2 (else std::invalid_argument)
     * @param pipeline ports of sends and receives, where there are two
     * @return the layout
     */
    static PortLayout Shared(DataRate rate, uint32_t nicPorts, PipelineLanes pipeline);

    /**
     * Every parallelism has links of its own at the full rate: the papers' electrical rails. The
     * pipeline has them towards each neighbour, and for collectives over its stages.
     * @param rate of a GPU, split evenly over the ports of each parallelism
     * @param nicPorts 1 or 2 (else std::invalid_argument), ports of each
     * @param rings groups of the job beside the pipeline: each has links of its own; the first
     * one's are those of all that are not named
     * @return the layout
     */
    static PortLayout Dedicated(DataRate rate,
                                uint32_t nicPorts,
                                const std::vector<GroupSlot>& rings = {});

    /**
     * Data-parallel and pipeline groups have lanes of their own (one-shot circuits).
     * @param ringLane rate of each of the two ring lanes; 0: there are none
     * @param pipelineLane rate of each of the two pipeline lanes; 0: there are none
     * @return the layout
     */
    static PortLayout Split(DataRate ringLane, DataRate pipelineLane);
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PORT_LAYOUT_H

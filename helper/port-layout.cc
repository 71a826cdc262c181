/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "port-layout.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

std::vector<Communicator::Lane>&
Of(PortLayout& layout, GroupSlot slot)
{
    return layout.lanes[static_cast<std::size_t>(slot)];
}

/// @return slots whose groups are rings, or exchange with all members, but those of the pipeline
std::vector<GroupSlot>
GetRings()
{
    std::vector<GroupSlot> rings;
    for (GroupSlot slot : TRAFFIC_SLOTS)
    {
        if (slot != GroupSlot::MP && slot != GroupSlot::PP && slot != GroupSlot::PP_NEXT &&
            slot != GroupSlot::PP_PREVIOUS)
        {
            rings.push_back(slot);
        }
    }
    return rings;
}

/// Lanes of rings over the first two ports.
void
SetRings(PortLayout& layout)
{
    for (GroupSlot slot : GetRings())
    {
        Of(layout, slot) = {{0, 1}, {1, 0}};
    }
}

/// Lanes of a pipeline whose ports towards the next and previous stage are given.
void
SetPipeline(PortLayout& layout, uint32_t next, uint32_t previous)
{
    Of(layout, GroupSlot::PP) = {{next, previous}, {previous, next}};
    Of(layout, GroupSlot::PP_NEXT) = {{next, previous}};
    Of(layout, GroupSlot::PP_PREVIOUS) = {{previous, next}};
}

} // namespace

PortLayout
PortLayout::Shared(DataRate rate, uint32_t nicPorts, PipelineLanes pipeline)
{
    if (nicPorts != 1 && nicPorts != 2)
    {
        throw std::invalid_argument("a GPU has " + std::to_string(nicPorts) +
                                    " NIC ports: expected 1 or 2");
    }
    PortLayout layout;
    layout.ports.assign(nicPorts, DataRate(rate.GetBitRate() / nicPorts));
    if (nicPorts == 1)
    {
        layout.lanes.fill({{0, 0}});
        return layout;
    }
    SetRings(layout);
    SetPipeline(layout, 0, 1);
    Of(layout, GroupSlot::MP) = {{0, 0}, {1, 1}};
    for (GroupSlot slot : {GroupSlot::PP_NEXT, GroupSlot::PP_PREVIOUS})
    {
        if (pipeline == PipelineLanes::STRIPED)
        {
            Of(layout, slot) = {{0, 0}, {1, 1}};
        }
        else if (pipeline == PipelineLanes::BOTH_TO_PEER)
        {
            Of(layout, slot) = {{0, 1}, {1, 0}};
        }
    }
    return layout;
}

PortLayout
PortLayout::Dedicated(DataRate rate, uint32_t nicPorts, const std::vector<GroupSlot>& rings)
{
    PortLayout layout = Shared(rate, nicPorts, PipelineLanes::STRIPED);
    const auto ports = layout.ports;
    // Each takes a set of ports that looks like the shared one; a pair has one set at either end.
    const auto move = [&layout, nicPorts](GroupSlot slot, uint32_t local, uint32_t remote) {
        for (auto& lane : Of(layout, slot))
        {
            lane.localPort += local * nicPorts;
            lane.remotePort += remote * nicPorts;
        }
    };
    move(GroupSlot::PP_NEXT, 1, 2);
    move(GroupSlot::PP_PREVIOUS, 2, 1);
    move(GroupSlot::PP, 3, 3);
    uint32_t sets = 3; // beside the first
    for (std::size_t i = 1; i < rings.size(); i++)
    {
        ++sets;
        move(rings[i], sets, sets);
    }
    for (uint32_t set = 1; set <= sets; set++)
    {
        layout.ports.insert(layout.ports.end(), ports.begin(), ports.end());
    }
    return layout;
}

PortLayout
PortLayout::Split(DataRate ringLane, DataRate pipelineLane)
{
    PortLayout layout;
    if (ringLane.GetBitRate() > 0)
    {
        layout.ports.assign(2, ringLane);
        SetRings(layout);
    }
    if (pipelineLane.GetBitRate() > 0)
    {
        const uint32_t first = layout.ports.size();
        layout.ports.insert(layout.ports.end(), 2, pipelineLane);
        SetPipeline(layout, first, first + 1);
    }
    return layout;
}

} // namespace photonic
} // namespace ns3

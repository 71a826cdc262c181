/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "relay-helper.h"

#include "ns3/relay-port.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

RelayHelper::RelayHelper(const ParallelPlan& plan, uint32_t domainPort, uint32_t nicPort)
    : m_plan(plan),
      m_domainPort(domainPort),
      m_nicPort(nicPort)
{
}

void
RelayHelper::Install(const std::vector<Ptr<MessageEndpoint>>& endpoints)
{
    const uint32_t perNode = m_plan.GetRanks() / m_plan.GetNodes();
    m_ports.assign(m_plan.GetRanks(), std::vector<uint32_t>(perNode, m_nicPort));
    for (uint32_t rank = 0; rank < m_plan.GetRanks(); rank++)
    {
        for (uint32_t rail = 0; rail < perNode; rail++)
        {
            const uint32_t mate = m_plan.GetNode(rank) * perNode + rail;
            if (mate != rank)
            {
                m_ports[rank][rail] = endpoints[rank]->AddPort(
                    std::make_unique<RelayPort>(*endpoints[rank], m_domainPort, mate, m_nicPort));
            }
        }
    }
}

uint32_t
RelayHelper::GetPort(uint32_t rank, uint32_t to) const
{
    if (m_plan.GetNode(rank) == m_plan.GetNode(to))
    {
        throw std::invalid_argument("ranks " + std::to_string(rank) + " and " + std::to_string(to) +
                                    " are on one node: the scale-up domain joins them");
    }
    return m_ports.at(rank).at(m_plan.GetRail(to));
}

} // namespace photonic
} // namespace ns3

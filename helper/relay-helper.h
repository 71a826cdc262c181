/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RELAY_HELPER_H
#define PHOTONIC_RELAY_HELPER_H

#include "ns3/message-endpoint.h"
#include "ns3/parallel-plan.h"

#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief Gives GPUs a way to other rails where nothing joins rails: through a GPU of their node
 * that is on the rail (RelayPort, as NCCL's PXN).
 */
class RelayHelper
{
  public:
    /**
     * @param plan who is where
     * @param domainPort number of each endpoint's port into its scale-up domain
     * @param nicPort number of the NIC port that messages leave a node by
     */
    RelayHelper(const ParallelPlan& plan, uint32_t domainPort, uint32_t nicPort);

    /// @param endpoints by rank, with those ports; each gets one more for each other GPU of its
    /// node
    void Install(const std::vector<Ptr<MessageEndpoint>>& endpoints);

    /**
     * @param rank of a sender
     * @param to rank on another node
     * @return port of the sender that leads there: the NIC's on its own rail, else a relay
     * @throws std::invalid_argument if both are on one node, where the scale-up domain leads there
     */
    uint32_t GetPort(uint32_t rank, uint32_t to) const;

  private:
    ParallelPlan m_plan;
    uint32_t m_domainPort;
    uint32_t m_nicPort;
    std::vector<std::vector<uint32_t>> m_ports; ///< by rank and rail
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RELAY_HELPER_H

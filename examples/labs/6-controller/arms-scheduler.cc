/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Lab 6, a solution: a switch with several arms, each of which works on one request at a time. The
 * shortest work goes first, that is the request with the fewest ports.
 */
#include "ns3/circuit-scheduler.h"
#include "ns3/uinteger.h"

namespace ns3
{

/// As many requests of a rail at a time as it has arms; those with the fewest ports first.
class ArmsScheduler : public photonic::CircuitScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ArmsScheduler")
                                .SetParent<photonic::CircuitScheduler>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<ArmsScheduler>()
                                .AddAttribute("Arms",
                                              "How many requests are worked on at a time.",
                                              UintegerValue(1),
                                              MakeUintegerAccessor(&ArmsScheduler::m_arms),
                                              MakeUintegerChecker<uint32_t>(1));
        return tid;
    }

  private:
    std::size_t DoChoose(const std::vector<Request>& waiting) override
    {
        std::size_t best = NONE;
        for (std::size_t i = 0; i < waiting.size() && GetStarted().size() < m_arms; i++)
        {
            if (ArePortsFree(waiting[i]) &&
                (best == NONE || waiting[i].ports.size() < waiting[best].ports.size()))
            {
                best = i;
            }
        }
        return best;
    }

    uint32_t m_arms;
};

NS_OBJECT_ENSURE_REGISTERED(ArmsScheduler);

} // namespace ns3

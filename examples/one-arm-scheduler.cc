/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * A controller of one's own: the policy for switches that move one fibre at a time, as a patch
 * panel with one robot arm does. Linked with the training program (robot-arm), it is
 * --controller=ns3::OneArmScheduler; linked with a scenario, OpusHelper takes it by that name.
 */
#include "ns3/circuit-scheduler.h"
#include "ns3/group-circuits.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3
{

/// One request of a rail at a time; of those that wait, one of the kind that goes first.
class OneArmScheduler : public photonic::CircuitScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::OneArmScheduler")
                                .SetParent<photonic::CircuitScheduler>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<OneArmScheduler>()
                                .AddAttribute("First",
                                              "Which go first: pp, rings, or any (the oldest).",
                                              StringValue("any"),
                                              MakeStringAccessor(&OneArmScheduler::m_first),
                                              MakeStringChecker());
        return tid;
    }

  private:
    std::size_t DoChoose(const std::vector<Request>& waiting) override
    {
        if (!GetStarted().empty())
        {
            return NONE; // the arm is busy; asked again when it is done
        }
        const auto favourite = std::find_if(waiting.begin(), waiting.end(), [this](const auto& r) {
            return m_first != "any" && photonic::IsPipeline(r.slot) == (m_first == "pp");
        });
        return favourite == waiting.end() ? 0 : favourite - waiting.begin();
    }

    std::string m_first;
};

NS_OBJECT_ENSURE_REGISTERED(OneArmScheduler);

} // namespace ns3

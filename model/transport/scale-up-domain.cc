/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scale-up-domain.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("ScaleUpDomain");
NS_OBJECT_ENSURE_REGISTERED(ScaleUpDomain);

/// A GPU's way into the domain.
class ScaleUpDomain::Port : public MessagePort
{
  public:
    Port(Ptr<ScaleUpDomain> domain, Member& member)
        : m_domain(domain),
          m_member(member)
    {
    }

    void Post(Ptr<Message> message) override
    {
        m_domain->Carry(m_member, message);
    }

  private:
    Ptr<ScaleUpDomain> m_domain;
    Member& m_member;
};

TypeId
ScaleUpDomain::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::ScaleUpDomain")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<ScaleUpDomain>()
            .AddAttribute("DataRate",
                          "Rate of a GPU, per direction, above 0.",
                          DataRateValue(DataRate("3600Gbps")),
                          MakeDataRateAccessor(&ScaleUpDomain::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("Latency",
                          "From the first bit out of a GPU to the first bit into another.",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&ScaleUpDomain::m_latency),
                          MakeTimeChecker(Time(0)));
    return tid;
}

ScaleUpDomain::ScaleUpDomain()
{
    NS_LOG_FUNCTION(this);
}

ScaleUpDomain::~ScaleUpDomain()
{
    NS_LOG_FUNCTION(this);
}

std::unique_ptr<MessagePort>
ScaleUpDomain::CreatePort(Ptr<MessageEndpoint> endpoint)
{
    auto& member = m_members[endpoint->GetRank()];
    if (member)
    {
        throw std::logic_error("rank " + std::to_string(endpoint->GetRank()) +
                               " joined its scale-up domain twice");
    }
    member = std::make_unique<Member>();
    member->endpoint = endpoint;
    auto node = endpoint->GetObject<Node>();
    member->context = node ? node->GetId() : Simulator::NO_CONTEXT;
    member->out.line.SetRate(LineRate(m_rate));
    member->in.line.SetRate(LineRate(m_rate));
    return std::make_unique<Port>(Ptr<ScaleUpDomain>(this), *member);
}

void
ScaleUpDomain::Carry(Member& from, Ptr<Message> message)
{
    auto peer = m_members.find(message->destination);
    if (peer == m_members.end())
    {
        throw std::logic_error("rank " + std::to_string(message->destination) +
                               " is not in the scale-up domain of rank " +
                               std::to_string(from.endpoint->GetRank()));
    }
    const ExactTime start = Occupy(from.out, ExactTime(Simulator::Now()), *message);
    message->firstBit = start.ToTime();
    const Time wait = message->firstBit - Simulator::Now();
    if (wait.IsZero())
    {
        Arrive(*peer->second, message, start);
        return;
    }
    // The way in is taken in the order in which messages start, not in that of their posting.
    Simulator::Schedule(wait,
                        [self = Ptr<ScaleUpDomain>(this), &to = *peer->second, message, start] {
                            self->Arrive(to, message, start);
                        });
}

ExactTime
ScaleUpDomain::Occupy(Link& link, const ExactTime& earliest, Message& message)
{
    const bool waits = link.line.GetFree() > earliest;
    const ExactTime start = waits ? link.line.GetFree() : earliest;
    if (waits)
    {
        // Whoever made the message wait is what its end depends on.
        message.cause = link.cause;
    }
    link.cause = message.cause;
    link.line.Transmit(start, message.bytes);
    return start;
}

void
ScaleUpDomain::Arrive(Member& to, Ptr<Message> message, const ExactTime& start)
{
    const ExactTime head = Occupy(to.in, start + m_latency, *message);
    Simulator::ScheduleWithContext(to.context,
                                   to.in.line.GetFree().ToTime() - Simulator::Now(),
                                   [endpoint = to.endpoint, message, firstBit = head.ToTime()] {
                                       endpoint->Deliver(message, firstBit);
                                   });
}

} // namespace photonic
} // namespace ns3

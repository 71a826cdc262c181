/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SCALE_UP_DOMAIN_H
#define PHOTONIC_SCALE_UP_DOMAIN_H

#include "message-endpoint.h"

#include "ns3/data-rate.h"
#include "ns3/exact-time.h"

#include <map>
#include <memory>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief GPUs joined by a non-blocking scale-up network (NVLink and NVSwitch), message by message.
 *
 * Every GPU has one rate out and one rate in. A message occupies both for bytes x 8 / rate, the
 * incoming side one latency later, first come first served; it costs one event, or two if it has
 * to wait for its way out. What is simulated
 * packet by packet is the scale-out network; terabytes of tensor parallel traffic are not. The
 * endpoints' ports keep the domain alive.
 */
class ScaleUpDomain : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    ScaleUpDomain();
    ~ScaleUpDomain() override;

    /**
     * Make a port into the domain.
     * @param endpoint of a GPU
     * @return its port, to be added to the endpoint
     */
    std::unique_ptr<MessagePort> CreatePort(Ptr<MessageEndpoint> endpoint);

  private:
    class Port;

    /// One direction of a GPU's link.
    struct Link
    {
        LineClock line;
        Cause cause; ///< of the last message on it
    };

    struct Member
    {
        Ptr<MessageEndpoint> endpoint;
        uint32_t context; ///< the node's identifier
        Link out;
        Link in;
    };

    void Carry(Member& from, Ptr<Message> message);
    void Arrive(Member& to, Ptr<Message> message, const ExactTime& start);
    static ExactTime Occupy(Link& link, const ExactTime& earliest, Message& message);

    DataRate m_rate;
    Time m_latency;
    std::map<uint32_t, std::unique_ptr<Member>> m_members; ///< by rank
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SCALE_UP_DOMAIN_H

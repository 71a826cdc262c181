/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_CONTROLLER_H
#define PHOTONIC_SIP_CONTROLLER_H

#include "sip-strategy.h"

#include "ns3/event-id.h"
#include "ns3/message-endpoint.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <set>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief Chooses circuits again and again, from the bytes that wait.
 *
 * An epoch is LiveTime with light and, if anything waits at its end, a change: circuits for what
 * waits then, and the fabric's RetuningDelay without light. Transmitters stop early enough that
 * the last packet, too, is over within LiveTime: the longest packet on the slowest circuit, and
 * the longest propagation, before its end. If nothing waits then, the present circuits stay, with
 * light; there are no events until a port gets a message, and the next change comes when it would
 * have come, had the controller looked after every LiveTime.
 *
 * If nothing was sent in an epoch that was to serve what waits, the strategy serves nobody who
 * needs it. The controller then changes nothing until a port gets a message, so that a job that has
 * stopped is seen to have.
 *
 * The first epoch begins with Start(), with whatever circuits there are.
 */
class SipController : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    SipController();
    ~SipController() override;

    /**
     * Take a port into account; before Start().
     * @param gpu number of it in the fabric
     * @param peer that the port leads to
     * @param endpoint that has the port
     * @param port number of it there
     */
    void AddPort(uint32_t gpu, uint32_t peer, Ptr<MessageEndpoint> endpoint, uint32_t port);

    /**
     * Begin with the first epoch.
     * @param fabric with a device for each port
     * @param strategy which circuits a demand gets
     * @throws std::invalid_argument with both numbers if the live time is too short for a packet on
     *         the slowest circuit
     */
    void Start(Ptr<WdmFabric> fabric, Ptr<const SipStrategy> strategy);

    /// @return bytes that wait, by GPU and peer
    TrafficMatrix GetDemand() const;

    /// @return whether nothing is to come unless a port gets a message
    bool IsAsleep() const;

    /// Trace of choices: bytes that waited in all, circuits chosen.
    typedef void (*ChoiceTracedCallback)(uint64_t bytes, const std::vector<WdmCircuit>& circuits);

  protected:
    void DoDispose() override;

  private:
    /// A port with its place in the demand.
    struct Watched
    {
        uint32_t gpu;
        uint32_t peer;
        Ptr<MessageEndpoint> endpoint;
        uint32_t port;
    };

    void Posted(uint32_t gpu, uint32_t port, uint64_t bytes);
    void ScheduleNext();
    void Choose();
    void BeginEpoch();

    Time m_liveTime;
    Ptr<WdmFabric> m_fabric;
    Ptr<const SipStrategy> m_strategy;
    std::vector<Watched> m_ports;
    std::set<std::pair<uint32_t, uint32_t>> m_numbers; ///< GPU and number of each
    uint32_t m_gpus{2};
    Time m_epochStart;
    Time m_lastChoice; ///< negative: none
    bool m_asleep{false};
    bool m_chosen{false}; ///< circuits of this epoch, for what waited
    uint64_t m_posted{0}; ///< bytes that ports have got
    uint64_t m_sent{0};   ///< bytes of them that had left by the last choice
    EventId m_next;
    TracedCallback<uint64_t, const std::vector<WdmCircuit>&> m_choiceTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_CONTROLLER_H

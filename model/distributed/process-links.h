/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PROCESS_LINKS_H
#define PHOTONIC_PROCESS_LINKS_H

#include "remote-message.h"

#include "ns3/event-id.h"
#include "ns3/net-device-container.h"
#include "ns3/node.h"
#include "ns3/packet.h"

#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-distributed Distributed
 * @ingroup photonic-rails
 * @brief One simulation in several MPI processes. Compiled only where ns-3 has MPI.
 */

/**
 * @ingroup photonic-rails-distributed
 * @brief How messages get from one process to another.
 *
 * There is a node for each process and a stock point-to-point link for each pair of processes that
 * fibres join. No stock packet ever crosses such a link: it is what ns-3's simulators look at to
 * find out how far processes may run ahead of each other, and its devices are where
 * ns3::MpiInterface delivers messages. All processes build the same nodes and links.
 *
 * The simulators let a process handle the last tick of its window before it has all messages for
 * that tick. The links are a tick shorter than the lead of messages, so that it has. Messages of
 * one tick are handled in the order of their senders' numbers, in whatever order MPI delivers them.
 *
 * With each message the null message simulator promises to send no further one before the next
 * event in its queue. An event that sends may send again, or cause another one to; therefore there
 * is always an event left in the tick of a message. Nor does that simulator expect an empty queue:
 * there is an event that is never reached, and somebody has to stop the run.
 */
class ProcessLinks
{
  public:
    ProcessLinks();

    /// @return those of this process; forgotten with Simulator::Destroy()
    static ProcessLinks& Get();

    /**
     * Join the process of a device to that of its circuit switch, and to those of all devices that
     * the circuits may lead to, which are told of a frame a tick after its last bit has left.
     * @param device system identifier of its process
     * @param circuitSwitch system identifier of its process
     * @param delay propagation of the fibre between the two, see Join()
     */
    void JoinFibre(uint32_t device, uint32_t circuitSwitch, Time delay);

    /**
     * Let two processes send to each other; nothing if they are the same.
     * @param a system identifier @param b another
     * @param lead how long before it is handled a message is sent, at least 2 ticks (else
     *        std::invalid_argument)
     */
    void Join(uint32_t a, uint32_t b, Time lead);

    /**
     * @param system identifier of a process that this one has been joined to
     * @param message to be handled there
     * @param frame that goes with it, or null
     * @param when it is to be handled
     */
    void Send(uint32_t system, RemoteMessage message, Ptr<const Packet> frame, Time when);

    /**
     * @param system a process that this one has been joined to
     * @return how long ahead of its time a message has to be sent there
     */
    Time GetLead(uint32_t system) const;

    /// @param handler gets the messages that belong to no fibre
    void SetJobHandler(std::function<void(const RemoteMessage&)> handler);

    /// Send(), as soon as may be. @param system to which @param message with @param frame or null
    void SendSoon(uint32_t system, const RemoteMessage& message, Ptr<const Packet> frame);

  private:
    /// A message that has arrived.
    struct Mail
    {
        RemoteMessage message;
        Ptr<Packet> frame;
    };

    /// A link, as all processes have it.
    struct Link
    {
        NetDeviceContainer devices; ///< of the lower process first
        Time lead;                  ///< nothing is told later than this before it happens
    };

    Ptr<Node> GetNode(uint32_t system);
    void StayNow();
    void Receive(Ptr<Packet> packet);
    void HandleMail();

    std::map<uint32_t, Ptr<Node>> m_nodes;                 ///< by process
    std::map<std::pair<uint32_t, uint32_t>, Link> m_links; ///< the lower process first
    std::map<uint32_t, Time> m_shortest;                   ///< fibre to a process's devices
    std::vector<Mail> m_mail;                              ///< of this tick
    std::function<void(const RemoteMessage&)> m_jobHandler;
    EventId m_now; ///< of this tick
    uint64_t m_sent{0};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PROCESS_LINKS_H

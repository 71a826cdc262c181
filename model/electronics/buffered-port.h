/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_BUFFERED_PORT_H
#define PHOTONIC_BUFFERED_PORT_H

#include "ecn-marker.h"
#include "egress-scheduler.h"
#include "switch-port.h"

#include "ns3/event-id.h"
#include "ns3/pause-gate.h"

namespace ns3
{
namespace photonic
{

class SharedBufferSwitch;

/**
 * @ingroup photonic-rails-electronics
 * @brief A port of a switch with a finite buffer: packets cross the switch, get their congestion
 * mark as they join the queue of their priority, and leave as scheduler and pauses let them.
 *
 * It is as lazy as all transmitters. While the switch has paused somebody, every packet's start is
 * an event, so that the pause ends in time.
 */
class BufferedPort : public SwitchPort
{
  public:
    /**
     * @param parent that it is a port of @param number at that, from 0
     * @param rate of the line @param scheduling of its queues @param marking of its packets
     */
    BufferedPort(SharedBufferSwitch& parent,
                 uint32_t number,
                 DataRate rate,
                 const EgressScheduler::Settings& scheduling,
                 const EcnMarker::Settings& marking);
    ~BufferedPort() override;

    /**
     * Send a pause frame, ahead of all packets.
     * @param priority which it means @param quanta how long, 0: no longer
     */
    void SendPause(uint8_t priority, uint16_t quanta);

    /// @param priority one of them @return line bytes in its queue
    uint64_t GetQueueBytes(uint8_t priority);
    /// @param priority one of them @return for how long the peer has paused it, all pauses together
    Time GetPausedTime(uint8_t priority) const override;

    /// @param stream of the random variable that marks packets
    void SetStream(int64_t stream);

    // inherited from SwitchPort
    void Enqueue(const Frame& frame, uint32_t ingress) override;
    std::size_t GetQueueLength() override;
    std::size_t GetLongestQueue() const override;
    void Advance() override;
    bool GetNextStart(const LightPath& path, ExactTime& start) const override;

  private:
    void ReceivePause(Frame& frame) override;
    ExactTime GetReady(const Frame& frame, uint32_t ingress);
    void Join(Frame frame);
    bool FindStart(ExactTime& start) const;
    void SendNext(const ExactTime& start);
    void Watch(const ExactTime& start);

    SharedBufferSwitch& m_owner;
    FrameQueue m_crossing; ///< on their way to the queues; start is when they get there
    EgressScheduler m_queues;
    EcnMarker m_marker;
    FrameQueue m_pauses; ///< that wait for the line; start is when they were made
    PauseGate m_gate;
    ExactTime m_busyUntil;   ///< if everything that is here goes out without a pause
    bool m_advancing{false}; ///< guards against re-entry when a pause ends
    EventId m_watch;         ///< at the next start
    std::size_t m_longest{0};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_BUFFERED_PORT_H

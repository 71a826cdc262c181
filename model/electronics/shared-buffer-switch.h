/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SHARED_BUFFER_SWITCH_H
#define PHOTONIC_SHARED_BUFFER_SWITCH_H

#include "buffered-port.h"
#include "packet-switch.h"
#include "switch-buffer.h"

#include "ns3/event-id.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-electronics
 * @brief A packet switch as they are: a latency, a finite buffer that its ports share, pauses for
 * lossless priorities (IEEE 802.1Qbb), congestion marks, and a scheduler at each output.
 *
 * A packet occupies the buffer with its line bytes from its first bit until it starts to leave.
 * Attributes of the buffer are read when the first port is attached.
 */
class SharedBufferSwitch : public PacketSwitch
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    SharedBufferSwitch();
    ~SharedBufferSwitch() override;

    /// @return time that packets take through the switch
    Time GetLatency() const
    {
        return m_latency;
    }

    /// @param ingress number of a port @param egress number of a port
    /// @return whether packets may leave before their last bit has come
    bool CanCutThrough(uint32_t ingress, uint32_t egress) const;

    /// @return whether somebody is asked to be silent, so that it matters when packets leave
    bool IsPausing() const
    {
        return !m_pausing.empty();
    }

    /// @param frame has started to leave @param egress where
    void Release(const Frame& frame, uint32_t egress);

    /// @return the buffer at present, or null before the first port
    const SwitchBuffer* GetBuffer();

    /// @param port an output @param priority one of them @return line bytes in its queue
    uint64_t GetQueueBytes(uint32_t port, uint8_t priority) const;

    /// @param port an output @param priority one of them
    /// @return for how long its peer has paused it, all pauses together
    Time GetPausedTime(uint32_t port, uint8_t priority) const;

    /// @return pause frames sent, without those that end a pause
    uint64_t GetPausesSent() const;

    // inherited from PacketSwitch
    int64_t AssignStreams(int64_t stream) override;

    /// Trace of pause frames sent: port, priority, time in quanta of 512 bits (0: resume).
    typedef void (*PauseTracedCallback)(uint32_t port, uint8_t priority, uint16_t quanta);

  protected:
    void DoDispose() override;
    std::unique_ptr<SwitchPort> MakePort(uint32_t number, DataRate rate) override;
    void PortAdded(uint32_t port, Time propagation) override;
    void Pass(Frame& frame, uint32_t ingress, uint32_t egress) override;

  private:
    /// An account whose sender is to be silent.
    struct Pausing
    {
        uint32_t account;
        EventId refresh;
    };

    BufferedPort& GetBuffered(uint32_t port) const;
    uint32_t GetAccount(const Frame& frame, uint32_t egress) const;
    void AdvanceAll();
    void Pause(uint32_t account);
    void Refresh(uint32_t account);
    void ResumeWhereItCan();
    void SendPause(uint32_t account, uint16_t quanta);
    void SetWeights(std::string weights);
    std::string GetWeights() const;

    Time m_latency;
    bool m_cutThrough;
    uint64_t m_bytesPerPort;
    uint64_t m_minimum;
    double m_alpha;
    uint64_t m_resumeOffset;
    uint8_t m_lossless;
    int64_t m_headroom;
    uint32_t m_mtu;
    uint64_t m_response;
    uint16_t m_quanta;
    uint8_t m_strict;
    uint32_t m_quantum;
    std::array<uint32_t, PRIORITIES> m_weights{};
    uint64_t m_ecnLow;
    uint64_t m_ecnHigh;
    double m_ecnGreatest;
    std::unique_ptr<SwitchBuffer> m_buffer;
    std::vector<Pausing> m_pausing;
    uint64_t m_pausesSent{0};
    TracedCallback<uint32_t, uint8_t, uint16_t> m_pauseTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SHARED_BUFFER_SWITCH_H

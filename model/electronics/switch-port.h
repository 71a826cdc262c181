/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SWITCH_PORT_H
#define PHOTONIC_SWITCH_PORT_H

#include "ns3/light-path.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{
namespace photonic
{

class PacketSwitch;

/**
 * @ingroup photonic-rails-electronics
 * @brief One port of a packet switch: an ingress that hands packets on at their first bit, and an
 * egress with its line clock. What waits for the egress, and how, is up to the derived class.
 */
class SwitchPort : public FibreEnd
{
  public:
    /// @param parent the switch @param number of the port @param rate of the line
    SwitchPort(PacketSwitch& parent, uint32_t number, DataRate rate);

    /**
     * @param frame for this output; its start and end are when its first and last bit arrive at
     *        the switch
     * @param ingress through which it came
     */
    virtual void Enqueue(const Frame& frame, uint32_t ingress) = 0;

    /// @return packets whose transmission has not started
    virtual std::size_t GetQueueLength() = 0;

    /// @return the most that have waited at a time
    virtual std::size_t GetLongestQueue() const = 0;

    /// @param blocked whether packets wait, whatever the line does
    void SetBlocked(bool blocked);

    /// @return the switch that the port belongs to
    PacketSwitch& GetSwitch() const;
    /// @return number at its switch, from 0
    uint32_t GetNumber() const;
    /// @return what is at the other end of the fibre, or null
    FibreEnd* GetPeer() const;
    /// @return of the line to the peer
    const LineRate& GetRate() const;

    /// @return bytes that it has sent, preambles and gaps included
    uint64_t GetLineBytes();

    /// @param priority class of traffic @return how long its peer has kept it from sending that
    virtual Time GetPausedTime(uint8_t priority) const;

    // inherited from FibreEnd
    bool IsCutThrough() const override;
    void Arrive(Frame& frame, Time propagation) override;
    void Lost(Frame& frame, const char* reason) override;
    void LightUp(Ptr<LightPath> path) override;
    void LightDown() override;
    ExactTime FinishPacket() override;
    void ReceiverLit(bool lit) override;
    bool IsWatched() const override;
    uint32_t GetContext() const override;
    Ptr<NetDevice> GetDevice() const override;

  protected:
    /// @return whether a packet may go onto the line: there is light, and nothing blocks it
    bool CanTransmit() const
    {
        return m_path && !m_blocked;
    }

    /// @param ready when a packet could start @return when the line lets it
    ExactTime GetStart(const ExactTime& ready) const
    {
        return std::max({ready, m_line.GetFree(), ExactTime(m_unblockedAt)});
    }

    /// @param frame goes onto the line @param start when
    void Transmit(Frame& frame, const ExactTime& start);

    /// That it is a port of.
    PacketSwitch& m_switch;
    /// At its switch.
    uint32_t m_number;
    /// Of the line to the peer.
    LineClock m_line;
    /// Of light to the peer; null while there is none.
    Ptr<LightPath> m_path;
    Time m_unblockedAt; ///< nothing that is still here has started before

  private:
    /// @param frame which pauses this line, seen at its first bit
    virtual void ReceivePause(Frame& frame);

    bool m_blocked{false};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SWITCH_PORT_H

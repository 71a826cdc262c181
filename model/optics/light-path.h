/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_LIGHT_PATH_H
#define PHOTONIC_LIGHT_PATH_H

#include "exact-time.h"
#include "packet-train.h"

#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/simple-ref-count.h"

#include <deque>
#include <functional>

namespace ns3
{

class NetDevice;

namespace photonic
{

class LightPath;

/**
 * @ingroup photonic-rails-optics
 * @param address a link address
 * @return its 48 bits, the first octet highest: cheaper to look up than the class
 */
uint64_t ToInteger(Mac48Address address);

/// In ToInteger(): the address means a group of devices.
constexpr uint64_t GROUP_ADDRESS_BIT = uint64_t(1) << 40;

/**
 * @ingroup photonic-rails-optics
 * @brief A packet, or a train of packets, on a line.
 */
struct Frame
{
    Ptr<Packet> packet;      ///< with its link header; null for a train
    Ptr<PacketTrain> train;  ///< or many packets at once
    uint64_t destination{0}; ///< link address, see ToInteger()
    uint64_t wireBytes{0};   ///< preamble, headers, payload, check sequence and gap
    ExactTime start;         ///< first bit leaves the transmitter
    ExactTime end;           ///< last bit leaves the transmitter
};

/**
 * @ingroup photonic-rails-optics
 * @brief What a fibre ends in: a transmitter and a receiver of light.
 *
 * A transmitter is lazy. It fixes when a packet starts no later than anybody could notice, which is
 * when the packet before it arrives, so that a packet costs one event per hop: its arrival. Who
 * needs to know the state of the line now calls Advance() first.
 */
class FibreEnd
{
  public:
    virtual ~FibreEnd() = default;

    /// Put all packets that have started by now onto the line.
    virtual void Advance() = 0;

    /**
     * @param path the one asked about
     * @param start set to when the next packet will start, if one waits for the line
     * @return whether one does, on this path
     */
    virtual bool GetNextStart(const LightPath& path, ExactTime& start) const = 0;

    /// @return whether frames are wanted at their first bit (cut-through) rather than their last
    virtual bool IsCutThrough() const = 0;

    /**
     * @param frame which has arrived here
     * @param propagation from where it was transmitted
     */
    virtual void Arrive(Frame& frame, Time propagation) = 0;

    /// @param frame was sent from here and lost @param reason a short name
    virtual void Lost(const Frame& frame, const char* reason) = 0;

    /// @param path to be used for transmission from now on
    virtual void LightUp(Ptr<LightPath> path) = 0;

    /// There is no light any more; a packet on the line is cut short.
    virtual void LightDown() = 0;

    /**
     * Start no further packet until LightUp().
     * @return when the packet now on the line ends, or now if the line is idle
     */
    virtual ExactTime FinishPacket() = 0;

    /// A circuit to this receiver came or went; simplex circuits light one direction only.
    virtual void ReceiverLit(bool lit) = 0;

    /// @return the node's identifier, as the context of arrival events
    virtual uint32_t GetContext() const = 0;

    /// @return the device, or null for a switch port
    virtual Ptr<NetDevice> GetDevice() const = 0;

    /// @return propagation from here on, where this stands for a receiver in another process
    virtual Time GetDistance() const
    {
        return Time(0);
    }
};

/**
 * @ingroup photonic-rails-optics
 * @brief Where a transmitter's light goes: along one fibre, or along two that a circuit joins.
 *
 * Holds the frames in flight, with one pending event however many they are. A path is never
 * changed, only cut: a new circuit is a new path, so late light of an old one cannot reach the new
 * peer.
 */
class LightPath : public SimpleRefCount<LightPath>
{
  public:
    /**
     * @param from transmitter
     * @param to receiver
     * @param toSwitch propagation up to where the path can be cut (the circuit switch)
     * @param total propagation from end to end
     */
    LightPath(FibreEnd& from, FibreEnd& to, Time toSwitch, Time total);

    /// @param frame whose transmission starts now or has started; frames come in order of time
    void Transmit(Frame frame);

    /**
     * Shorten the train that was transmitted last, if it is still on the line.
     * @param rate of the line
     * @param now at which no further packet starts
     * @param end set to the new end of the transmission if packets were cut off
     * @return packets that were cut off
     */
    uint64_t CutTrain(const LineRate& rate, const ExactTime& now, ExactTime& end);

    /**
     * The transmitter has got a packet that waits for its line. A cut-through receiver may have all
     * packets before it already, so that nothing else would ask for it.
     */
    void Expect()
    {
        if (!m_busy && m_cutThrough)
        {
            ScheduleNext();
        }
    }

    /**
     * Light passes until an instant, and no longer.
     * @param at now
     * @param lost called for every frame whose last bit had not left the switch by then
     */
    void Cut(Time at, std::function<void(const Frame&)> lost);

    Time GetPropagation() const
    {
        return m_total + m_to->GetDistance();
    }

    Time GetPropagationToSwitch() const
    {
        return m_toSwitch;
    }

    FibreEnd& GetReceiver() const
    {
        return *m_to;
    }

  private:
    class Arrival;

    ExactTime ArrivalOf(const Frame& frame) const;
    void ScheduleAt(int64_t tick);
    void ScheduleNext();
    void Serve();
    bool Survives(const Frame& frame) const;

    FibreEnd* m_from;
    FibreEnd* m_to;
    Time m_toSwitch;
    Time m_total;
    bool m_cutThrough;
    bool m_cut{false};
    ExactTime m_cutAt;
    std::function<void(const Frame&)> m_lost;
    std::deque<Frame> m_frames;
    bool m_busy{false}; ///< an event is pending, or is being served
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_LIGHT_PATH_H

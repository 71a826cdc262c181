/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_LIGHT_PATH_H
#define PHOTONIC_LIGHT_PATH_H

#include "optical-frame.h"

#include "ns3/event-impl.h"
#include "ns3/simulator.h"

#include <functional>
#include <limits>

namespace ns3
{

class NetDevice;

namespace photonic
{

class LightPath;

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
     * @param start set to when the next packet will start, if one waits for the line, or to when it
     *        will end if it is known and the path is not cut-through
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
    virtual void Lost(Frame& frame, const char* reason) = 0;

    /// @param path to be used for transmission from now on
    virtual void LightUp(Ptr<LightPath> path) = 0;

    /// Light comes during the simulation, where there was none: an end may need time before it
    /// transmits. @param path to be used for transmission then
    virtual void BringUp(Ptr<LightPath> path)
    {
        LightUp(path);
    }

    /// There is no light any more; a packet on the line is cut short.
    virtual void LightDown() = 0;

    /**
     * Start no further packet until LightUp().
     * @return when the packet now on the line ends, or now if the line is idle
     */
    virtual ExactTime FinishPacket() = 0;

    /// A circuit to this receiver came or went; simplex circuits light one direction only.
    /// @param lit whether there is one now
    virtual void ReceiverLit(bool lit) = 0;

    /// @return whether light that comes or goes has consequences at the node, which need its
    /// context
    virtual bool IsWatched() const = 0;

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
 * Holds the frames in flight, with one pending event however many they are: the path itself, so
 * that an arrival allocates nothing, and a path lives until its last frame has arrived. A path is
 * never changed, only cut: a new circuit is a new path, so late light of an old one cannot reach
 * the new peer.
 */
class LightPath : public EventImpl
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
    void Transmit(const Frame& frame);

    /**
     * Shorten the train that was transmitted last, if it is still on the line.
     * @param rate of the line
     * @param now at which no further packet starts
     * @param end set to the new end of the transmission if packets were cut off
     * @return packets that were cut off
     */
    uint64_t CutTrain(const LineRate& rate, const ExactTime& now, ExactTime& end);

    /**
     * The transmitter has got a packet that will start later. The receiver may have all packets
     * before it already, so that nothing else would ask for it.
     */
    void Expect()
    {
        if (!m_serving && m_frames.IsEmpty())
        {
            ScheduleNext(Simulator::Now().GetTimeStep());
        }
    }

    /**
     * Light passes until an instant, and no longer.
     * @param at now
     * @param lost called for every frame whose last bit had not left the switch by then; may be
     *        empty
     * @param reason that the sender is told
     */
    void Cut(Time at, std::function<void(Frame&)> lost, const char* reason = TORN_DOWN);

    /// Why frames are lost unless another reason is given.
    static constexpr const char* TORN_DOWN = "circuit torn down";

    /// @return from end to end
    Time GetPropagation() const
    {
        return m_total + m_to->GetDistance();
    }

    /// @return whether what is transmitted now is noticed in a later tick
    bool HidesThisTick() const
    {
        return m_total.IsStrictlyPositive();
    }

    /// @return whether the receiver wants frames at their first bit
    bool IsCutThrough() const
    {
        return m_cutThrough;
    }

    /// @return from the sender to the switch
    Time GetPropagationToSwitch() const
    {
        return m_toSwitch;
    }

    /// @return where the light arrives
    FibreEnd& GetReceiver() const
    {
        return *m_to;
    }

  private:
    static constexpr int64_t NOTHING = std::numeric_limits<int64_t>::max();

    void Notify() override;

    ExactTime ArrivalOf(const Frame& frame) const;
    void ScheduleAt(int64_t tick, int64_t now);
    void ScheduleNext(int64_t now);
    bool Survives(const Frame& frame) const;

    FibreEnd* m_from;
    FibreEnd* m_to;
    Time m_toSwitch;
    Time m_total;
    bool m_cutThrough;
    bool m_cut{false};
    ExactTime m_cutAt;
    std::function<void(Frame&)> m_lost;
    const char* m_reason{TORN_DOWN};
    FrameQueue m_frames;
    int64_t m_next{NOTHING}; ///< tick of the next event
    bool m_serving{false};   ///< an event is being served, and will look for the next
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_LIGHT_PATH_H

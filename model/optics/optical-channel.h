/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTICAL_CHANNEL_H
#define PHOTONIC_OPTICAL_CHANNEL_H

#include "event-batch.h"
#include "light-path.h"

#include "ns3/channel.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <array>
#include <functional>
#include <memory>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @brief A fibre pair: propagation, and what is at its two ends.
 *
 * It joins two devices, a device and a packet switch port, two packet switch ports, or a device and
 * a port of an OpticalCircuitSwitch. Light passes as soon as both ends are attached; in the last
 * case the switch decides.
 *
 * It can be cut, both directions at once. Into a circuit switch it is as if it were cut there: what
 * has not left the fibre is lost, and the device sees it one propagation later. Between two ends it
 * is as if it were cut at either receiver, and both see it at once.
 */
class OpticalChannel : public Channel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    OpticalChannel();
    ~OpticalChannel() override;

    /**
     * Attach a transmitter and receiver.
     * @param end which; must outlive the simulation's events
     * @param owner of the end, kept as long as the fibre, unless the nodes keep it
     * @throws std::logic_error if it is attached already, or if both ends are taken
     */
    void Attach(FibreEnd& end, Ptr<Object> owner = nullptr);

    /// What ends are told at one tick.
    using Notices = EventBatch<std::function<void()>>;

    /// For the switch, as all of these: its notices to ends that nobody watches share events.
    /// @param notices of all fibres of the switch
    void SetNotices(std::shared_ptr<Notices> notices);

    /// Gets a frame that was sent from the fibre's device and did not get through the switch.
    using LostInSwitch = std::function<void(Frame&)>;

    /**
     * The free end goes into a port of a circuit switch.
     * @param lost called for what is lost in a process other than the switch's
     * @throws std::logic_error unless exactly one end is attached
     */
    virtual void AttachToSwitch(LostInSwitch lost = LostInSwitch());

    /**
     * Where light from this fibre's device goes in a circuit.
     * @param to fibre that the circuit leads to
     * @param generation of the circuit
     * @return the path
     */
    virtual Ptr<LightPath> CreatePath(OpticalChannel& to, uint64_t generation);

    /**
     * The device has light to send into. It learns of this, and of
     * the following, one propagation later.
     * @param path from CreatePath() @param to fibre it leads to @param generation of the circuit
     */
    virtual void TellLightUp(Ptr<LightPath> path, OpticalChannel& to, uint64_t generation);

    /// The device's light leads nowhere any more. @param generation of the circuit
    virtual void TellLightDown(uint64_t generation);

    /// A circuit to the device came or went. @param lit which @param generation of the circuit
    virtual void TellReceiverLit(bool lit, uint64_t generation);

    /**
     * The device is to start no further packet.
     * @param answer gets when the last bit of the packet on the line leaves the device; called
     *        before that bit reaches the switch
     */
    virtual void AskToFinishPacket(std::function<void(const ExactTime&)> answer);

    /// @return the end that is not in a circuit switch
    FibreEnd& GetEnd() const;

    /// @return propagation from end to end
    Time GetDelay() const;

    /// Light passes no more, in either direction.
    void Cut();
    /// A cut fibre is whole again; light comes back one propagation later.
    void Splice();

    /// @return whether light can pass: it is not cut, and no device at its ends has failed
    bool IsWhole() const;

    /**
     * For devices: the end sends no light any more, or again. It takes a propagation to tell.
     * @param end of the fibre @param failed which
     */
    void SetEndFailed(const FibreEnd& end, bool failed);

    /// Gets why light passes no more, or null when it passes again.
    using BreakHandler = std::function<void(const char* reason)>;

    /// For the circuit switch that the fibre goes into. @param handler what it does
    void SetBreakHandler(BreakHandler handler);

    /// Trace of cuts. @param cut or spliced
    typedef void (*CutTracedCallback)(bool cut);

    // inherited from Channel; ends that are not devices do not count
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  protected:
    void DoDispose() override;

    /// @param from an end of a fibre without circuit switch @param to the other one @return light
    virtual Ptr<LightPath> CreateDirectPath(FibreEnd& from, FibreEnd& to);

  private:
    void Tell(std::function<void()> notice);
    void LightDirectly(bool during);
    void Changed(bool wasWhole, const char* reason);

    Time m_delay;
    std::shared_ptr<Notices> m_notices;
    std::array<FibreEnd*, 2> m_ends{};
    Ptr<Object> m_owner; ///< of a switch port: of itself nothing would keep the switch
    bool m_switched{false};
    std::array<Ptr<LightPath>, 2> m_paths; ///< of light from each end to the other
    BreakHandler m_breakHandler;
    bool m_cut{false};
    std::array<bool, 2> m_failed{}; ///< ends that send no light
    TracedCallback<bool> m_cutTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTICAL_CHANNEL_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTICAL_CHANNEL_H
#define PHOTONIC_OPTICAL_CHANNEL_H

#include "light-path.h"

#include "ns3/channel.h"
#include "ns3/nstime.h"

#include <array>

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
 */
class OpticalChannel : public Channel
{
  public:
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

    /**
     * The free end goes into a port of a circuit switch.
     * @throws std::logic_error unless exactly one end is attached
     */
    void AttachToSwitch();

    /// @return the end that is not in a circuit switch
    FibreEnd& GetEnd() const;

    Time GetDelay() const;

    // inherited from Channel; ends that are not devices do not count
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  protected:
    void DoDispose() override;

  private:
    Time m_delay;
    std::array<FibreEnd*, 2> m_ends{};
    Ptr<Object> m_owner; ///< of a switch port: of itself nothing would keep the switch
    bool m_switched{false};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTICAL_CHANNEL_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RAIL_HELPER_H
#define PHOTONIC_RAIL_HELPER_H

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/optical-net-device.h"
#include "ns3/packet-switch.h"
#include "ns3/trace-helper.h"

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-helper Helpers
 * @ingroup photonic-rails
 * @brief Build rails, fabrics and jobs.
 */

/**
 * @ingroup photonic-rails-helper
 * @brief Makes NIC ports, each with a fibre, ready to be plugged into something.
 *
 * EnablePcap() and EnableAscii() take devices, nodes or all there are. A line of text is a packet
 * that the port has accepted (+), begins to send (-), has received (r) or drops or loses (d, with
 * the reason at the end).
 */
class OpticalPortHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    OpticalPortHelper();

    /// @param name of an attribute of OpticalNetDevice @param value of it
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);
    /// @param name of an attribute of OpticalChannel @param value of it
    void SetFibreAttribute(const std::string& name, const AttributeValue& value);
    /// @param maxSize of the transmit queue of stock traffic, "100p" if not set
    void SetQueueSize(const QueueSize& maxSize);

    /**
     * @param rates of the ports of a node on a rail, one after another; not set: all have the
     *        device's DataRate attribute
     */
    void SetPortRates(std::vector<DataRate> rates);

    /// @param systemId of the MPI process that simulates the switch of a rail, 0 if not set
    void SetSwitchSystem(uint32_t systemId);

    /**
     * Add a port with its fibre, the far end of which is free, to a node.
     * @param node the node
     * @return the device; its channel is the fibre
     */
    Ptr<OpticalNetDevice> Install(Ptr<Node> node) const;

    /**
     * Join two nodes by one fibre.
     * @param a a node @param b another node
     * @return their devices
     */
    NetDeviceContainer Install(Ptr<Node> a, Ptr<Node> b) const;

  protected:
    /**
     * Add a port with its fibre to a node of a rail.
     * @param node the node @param port number of the port at its node
     * @return its device
     */
    Ptr<OpticalNetDevice> InstallPort(Ptr<Node> node, uint32_t port) const;

    /// @return a fibre, both ends of which are free
    Ptr<OpticalChannel> CreateFibre() const;

    /**
     * Choose the type of fibres for a rail.
     * @param nodes of the rail
     * @param remote type of fibres if not all of them are in the process of the switch
     */
    void ChooseFibres(const NodeContainer& nodes, const std::string& remote);

    /// MPI process of the switch.
    uint32_t m_switchSystem{0};

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> device,
                             bool explicitFilename) override;
    Ptr<OpticalNetDevice> CreateDevice(Ptr<Node> node) const;

    ObjectFactory m_device;
    ObjectFactory m_fibre;
    QueueSize m_queueSize;
    std::vector<DataRate> m_rates;
};

/**
 * @ingroup photonic-rails-helper
 * @brief Makes a photonic rail: nodes with their ports on one optical circuit switch.
 *
 * The switch is aggregated to a node of its own, which keeps it for as long as the simulation.
 */
class PhotonicRailHelper : public OpticalPortHelper
{
  public:
    PhotonicRailHelper();

    /// @param name of an attribute of OpticalCircuitSwitch @param value of it
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);
    /// @param technology radix and delay of the switch
    void SetTechnology(const OcsTechnology& technology);

    /**
     * Port p of node i is on port i * portsPerNode + p of the switch.
     * @param nodes of the rail
     * @param portsPerNode NIC ports that each gets
     * @return devices, those of a node one after another
     * @throws std::invalid_argument with both numbers if the switch has too few ports
     */
    NetDeviceContainer Install(const NodeContainer& nodes, uint32_t portsPerNode);

    /// @return the switch of the last rail that was installed
    Ptr<OpticalCircuitSwitch> GetSwitch() const;

  private:
    ObjectFactory m_switchFactory;
    Ptr<OpticalCircuitSwitch> m_switch;
};

/**
 * @ingroup photonic-rails-helper
 * @brief Makes an ideal electrical rail: nodes with their ports on one packet switch.
 *
 * The switch is aggregated to a node of its own, which keeps it for as long as the simulation.
 */
class ElectricalRailHelper : public OpticalPortHelper
{
  public:
    /**
     * Port p of node i is on port i * portsPerNode + p of the switch.
     * @param nodes of the rail
     * @param portsPerNode NIC ports that each gets
     * @return devices, those of a node one after another
     */
    NetDeviceContainer Install(const NodeContainer& nodes, uint32_t portsPerNode);

    /// @return the switch of the last rail that was installed
    Ptr<PacketSwitch> GetSwitch() const;

    /**
     * Random variables of the last rail.
     * @param stream of the first
     * @return how many there are
     */
    int64_t AssignStreams(int64_t stream);

  private:
    Ptr<PacketSwitch> m_switch;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RAIL_HELPER_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rail-helper.h"

#include "ns3/log.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"
#include "ns3/partition.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("RailHelper");

namespace
{

/// @param drop where the trace source is @param reason why; written after the packet
void
WriteDrop(Ptr<OutputStreamWrapper> stream,
          std::string drop,
          Ptr<const Packet> packet,
          const std::string& reason)
{
    *stream->GetStream() << "d " << Simulator::Now().GetSeconds() << " " << drop << " " << *packet
                         << " (" << reason << ")" << std::endl;
}

} // namespace

OpticalPortHelper::OpticalPortHelper()
    : m_queueSize("100p")
{
    m_device.SetTypeId(OpticalNetDevice::GetTypeId());
    m_fibre.SetTypeId(OpticalChannel::GetTypeId());
}

void
OpticalPortHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_device.Set(name, value);
}

void
OpticalPortHelper::SetFibreAttribute(const std::string& name, const AttributeValue& value)
{
    m_fibre.Set(name, value);
}

void
OpticalPortHelper::SetQueueSize(const QueueSize& maxSize)
{
    m_queueSize = maxSize;
}

void
OpticalPortHelper::SetPortRates(std::vector<DataRate> rates)
{
    m_rates = std::move(rates);
}

void
OpticalPortHelper::SetSwitchSystem(uint32_t systemId)
{
    m_switchSystem = systemId;
}

void
OpticalPortHelper::ChooseFibres(const NodeContainer& nodes, const std::string& remote)
{
    m_fibre.SetTypeId(OpticalChannel::GetTypeId());
    if (!IsDistributed() || std::all_of(nodes.Begin(), nodes.End(), [this](Ptr<Node> node) {
            return node->GetSystemId() == m_switchSystem;
        }))
    {
        return;
    }
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(remote, &type))
    {
        throw std::logic_error("the nodes of a rail are in different processes, and this build of "
                               "photonic-rails has no MPI");
    }
    m_fibre.SetTypeId(type);
    m_fibre.Set("SwitchSystemId", UintegerValue(m_switchSystem));
}

Ptr<OpticalNetDevice>
OpticalPortHelper::InstallPort(Ptr<Node> node, uint32_t port) const
{
    auto device = Install(node);
    if (!m_rates.empty())
    {
        device->SetDataRate(m_rates.at(port));
    }
    return device;
}

Ptr<OpticalChannel>
OpticalPortHelper::CreateFibre() const
{
    return m_fibre.Create<OpticalChannel>();
}

Ptr<OpticalNetDevice>
OpticalPortHelper::CreateDevice(Ptr<Node> node) const
{
    auto device = m_device.Create<OpticalNetDevice>();
    device->SetAddress(Mac48Address::Allocate());
    device->GetQueue()->SetMaxSize(m_queueSize);
    node->AddDevice(device);
    // So that traffic control, where it is installed, sees the queue fill and drain.
    auto queues = CreateObject<NetDeviceQueueInterface>();
    queues->GetTxQueue(0)->ConnectQueueTraces(device->GetQueue());
    device->AggregateObject(queues);
    return device;
}

Ptr<OpticalNetDevice>
OpticalPortHelper::Install(Ptr<Node> node) const
{
    auto device = CreateDevice(node);
    device->Attach(CreateFibre());
    return device;
}

NetDeviceContainer
OpticalPortHelper::Install(Ptr<Node> a, Ptr<Node> b) const
{
    auto fibre = CreateFibre();
    NetDeviceContainer devices;
    for (const auto& node : {a, b})
    {
        auto device = CreateDevice(node);
        device->Attach(fibre);
        devices.Add(device);
    }
    return devices;
}

void
OpticalPortHelper::EnablePcapInternal(std::string prefix,
                                      Ptr<NetDevice> device,
                                      bool promiscuous,
                                      bool explicitFilename)
{
    auto port = DynamicCast<OpticalNetDevice>(device);
    if (!port)
    {
        NS_LOG_INFO("device " << device << " is not an optical port");
        return;
    }
    PcapHelper pcap;
    const std::string name = explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device);
    auto file = pcap.CreateFile(name, std::ios::out, PcapHelper::DLT_EN10MB);
    pcap.HookDefaultSink<OpticalNetDevice>(port, promiscuous ? "PromiscSniffer" : "Sniffer", file);
}

void
OpticalPortHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                       std::string prefix,
                                       Ptr<NetDevice> device,
                                       bool explicitFilename)
{
    auto port = DynamicCast<OpticalNetDevice>(device);
    if (!port)
    {
        NS_LOG_INFO("device " << device << " is not an optical port");
        return;
    }
    if (!stream)
    {
        AsciiTraceHelper ascii;
        stream = ascii.CreateFileStream(
            explicitFilename ? prefix : ascii.GetFilenameFromDevice(prefix, device));
    }
    const std::string path = "/NodeList/" + std::to_string(port->GetNode()->GetId()) +
                             "/DeviceList/" + std::to_string(port->GetIfIndex()) +
                             "/$ns3::photonic::OpticalNetDevice/";
    const auto connect = [&](const std::string& source, const CallbackBase& sink) {
        port->TraceConnect(source, path + source, sink);
    };
    connect("MacTx", MakeBoundCallback(&AsciiTraceHelper::DefaultEnqueueSinkWithContext, stream));
    connect("PhyTxBegin",
            MakeBoundCallback(&AsciiTraceHelper::DefaultDequeueSinkWithContext, stream));
    connect("MacRx", MakeBoundCallback(&AsciiTraceHelper::DefaultReceiveSinkWithContext, stream));
    connect("Drop", MakeBoundCallback(&WriteDrop, stream));
}

PhotonicRailHelper::PhotonicRailHelper()
{
    m_switchFactory.SetTypeId(OpticalCircuitSwitch::GetTypeId());
}

void
PhotonicRailHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
}

void
PhotonicRailHelper::SetTechnology(const OcsTechnology& technology)
{
    SetSwitchAttribute("Radix", UintegerValue(technology.radix));
    SetSwitchAttribute("ReconfigurationDelay", TimeValue(technology.reconfigurationDelay));
}

NetDeviceContainer
PhotonicRailHelper::Install(const NodeContainer& nodes, uint32_t portsPerNode)
{
    m_switch = m_switchFactory.Create<OpticalCircuitSwitch>();
    CreateObject<Node>(m_switchSystem)->AggregateObject(m_switch);
    ChooseFibres(nodes, "ns3::photonic::OpticalRemoteChannel");
    const uint64_t needed = uint64_t(nodes.GetN()) * portsPerNode;
    if (needed > m_switch->GetRadix())
    {
        throw std::invalid_argument("a rail of " + std::to_string(nodes.GetN()) + " GPUs needs " +
                                    std::to_string(needed) + " ports, the optical switch has " +
                                    std::to_string(m_switch->GetRadix()));
    }
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        for (uint32_t p = 0; p < portsPerNode; p++)
        {
            auto device = InstallPort(nodes.Get(i), p);
            m_switch->Attach(devices.GetN(), DynamicCast<OpticalChannel>(device->GetChannel()));
            devices.Add(device);
        }
    }
    return devices;
}

Ptr<OpticalCircuitSwitch>
PhotonicRailHelper::GetSwitch() const
{
    return m_switch;
}

NetDeviceContainer
ElectricalRailHelper::Install(const NodeContainer& nodes, uint32_t portsPerNode)
{
    m_switch = CreateObject<PacketSwitch>();
    CreateObject<Node>(m_switchSystem)->AggregateObject(m_switch);
    ChooseFibres(nodes, "ns3::photonic::PacketRemoteChannel");
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        for (uint32_t p = 0; p < portsPerNode; p++)
        {
            auto device = InstallPort(nodes.Get(i), p);
            const uint32_t port =
                m_switch->Attach(DynamicCast<OpticalChannel>(device->GetChannel()),
                                 device->GetDataRate());
            m_switch->SetForwarding(Mac48Address::ConvertFrom(device->GetAddress()), port);
            devices.Add(device);
        }
    }
    return devices;
}

int64_t
ElectricalRailHelper::AssignStreams(int64_t stream)
{
    return m_switch->AssignStreams(stream);
}

Ptr<PacketSwitch>
ElectricalRailHelper::GetSwitch() const
{
    return m_switch;
}

} // namespace photonic
} // namespace ns3

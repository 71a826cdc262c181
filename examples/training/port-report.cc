/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "port-report.h"

#include "text.h"

#include <map>
#include <sstream>

namespace ns3
{
namespace photonic
{

namespace
{

/// Rows of ports.csv.
class PortTable
{
  public:
    explicit PortTable(Time elapsed)
        : m_seconds(elapsed.GetSeconds())
    {
        m_text << "at,port,to,rate_bps,line_bytes,utilisation,longest_queue_packets,paused_ms\n";
    }

    /**
     * @param at where the port is @param number of it there @param to what it leads to
     * @param port a device or a switch's
     * @param rate of it in bit/s @param longestQueue in packets, or empty
     */
    template <typename Port>
    void Add(const std::string& at,
             uint32_t number,
             const std::string& to,
             Port& port,
             uint64_t rate,
             const std::string& longestQueue)
    {
        Time paused;
        for (uint8_t priority = 0; priority < PRIORITIES; priority++)
        {
            paused += port.GetPausedTime(priority);
        }
        const uint64_t bytes = port.GetLineBytes();
        const double capacity = rate / 8.0 * m_seconds;
        m_text << at << ',' << number << ',' << to << ',' << rate << ',' << bytes << ','
               << Number(capacity > 0 ? bytes / capacity : 0) << ',' << longestQueue << ','
               << InMilliseconds(paused) << '\n';
    }

    std::string GetText() const
    {
        return m_text.str();
    }

  private:
    double m_seconds;
    std::ostringstream m_text;
};

std::string
NameSwitch(std::size_t number)
{
    return "switch" + std::to_string(number);
}

} // namespace

std::string
ReportPorts(const TrainingFabric& fabric, Time elapsed)
{
    std::map<const NetDevice*, std::string> gpus;
    std::map<const PacketSwitch*, std::string> switches;
    std::map<const NetDevice*, std::string> uplinks; // what NIC ports lead to
    for (std::size_t rank = 0; rank < fabric.ports.size(); rank++)
    {
        for (const auto& device : fabric.ports[rank])
        {
            gpus[PeekPointer(device)] = "gpu" + std::to_string(rank);
        }
    }
    for (std::size_t s = 0; s < fabric.packetSwitches.size(); s++)
    {
        const auto& packetSwitch = fabric.packetSwitches[s];
        switches[PeekPointer(packetSwitch)] = NameSwitch(s);
        for (uint32_t port = 0; port < packetSwitch->GetNPorts(); port++)
        {
            uplinks[PeekPointer(packetSwitch->GetDevice(port))] = NameSwitch(s);
        }
    }
    PortTable table(elapsed);
    for (std::size_t rank = 0; rank < fabric.ports.size(); rank++)
    {
        for (std::size_t port = 0; port < fabric.ports[rank].size(); port++)
        {
            auto& device = *fabric.ports[rank][port];
            const auto uplink = uplinks.find(&device);
            table.Add("gpu" + std::to_string(rank),
                      port,
                      uplink == uplinks.end() ? "circuits" : uplink->second,
                      device,
                      device.GetDataRate().GetBitRate(),
                      "");
        }
    }
    for (const auto& packetSwitch : fabric.packetSwitches)
    {
        for (uint32_t number = 0; number < packetSwitch->GetNPorts(); number++)
        {
            auto& port = packetSwitch->GetPort(number);
            const auto peer = packetSwitch->GetPeer(number);
            table.Add(switches[PeekPointer(packetSwitch)],
                      number,
                      peer ? switches[&peer->GetSwitch()]
                           : gpus[PeekPointer(packetSwitch->GetDevice(number))],
                      port,
                      port.GetRate().GetBitRate(),
                      std::to_string(port.GetLongestQueue()));
        }
    }
    return table.GetText();
}

} // namespace photonic
} // namespace ns3

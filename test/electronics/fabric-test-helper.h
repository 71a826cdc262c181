/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FABRIC_TEST_HELPER_H
#define PHOTONIC_FABRIC_TEST_HELPER_H

#include "optics/optics-test-helper.h"

#include "ns3/enum.h"
#include "ns3/ipv4-header.h"
#include "ns3/object-factory.h"
#include "ns3/packet-switch.h"
#include "ns3/shortest-path-forwarding.h"
#include "ns3/udp-header.h"

namespace ns3
{
namespace photonic
{

/// Hosts and packet switches, joined by hand. Device i is host i.
class FabricTest : public OpticsTest
{
  protected:
    static constexpr uint16_t IPV4 = 0x0800;
    const Time FIBRE = NanoSeconds(50);

    void TearDown() override
    {
        StartOver();
    }

    void StartOver() override
    {
        OpticsTest::StartOver();
        for (const auto& s : switches)
        {
            s->Dispose();
        }
        switches.clear();
    }

    void AddSwitches(uint32_t count)
    {
        for (uint32_t i = 0; i < count; i++)
        {
            switches.push_back(factory.Create<PacketSwitch>());
        }
    }

    /// @return number of the new host
    uint32_t AddHost(uint32_t onSwitch, uint64_t bitRate = ROUND_RATE)
    {
        const uint32_t host = AddDevice(bitRate);
        devices[host]->SetAddress(MakeHostAddress(host));
        devices[host]->GetQueue()->SetMaxSize(QueueSize("100000p"));
        auto fibre = CreateFibre(FIBRE);
        devices[host]->Attach(fibre);
        switches[onSwitch]->Attach(fibre, DataRate(bitRate));
        return host;
    }

    void JoinSwitches(uint32_t a, uint32_t b, uint64_t bitRate = ROUND_RATE)
    {
        auto fibre = CreateFibre(FIBRE);
        switches[a]->Attach(fibre, DataRate(bitRate));
        switches[b]->Attach(fibre, DataRate(bitRate));
    }

    /// Switches: the leaves, then the spines.
    void BuildLeafSpine(uint32_t leaves, uint32_t spines, uint32_t hostsPerLeaf)
    {
        AddSwitches(leaves + spines);
        for (uint32_t leaf = 0; leaf < leaves; leaf++)
        {
            for (uint32_t i = 0; i < hostsPerLeaf; i++)
            {
                AddHost(leaf);
            }
            for (uint32_t spine = 0; spine < spines; spine++)
            {
                JoinSwitches(leaf, leaves + spine);
            }
        }
        InstallShortestPaths(switches);
    }

    /// Al-Fares et al. 2008. Switches: all edges, all aggregations, all cores.
    void BuildFatTree(uint32_t k)
    {
        const uint32_t half = k / 2;
        const uint32_t aggregations = k * half;
        const uint32_t cores = 2 * aggregations;
        AddSwitches(cores + half * half);
        for (uint32_t edge = 0; edge < k * half; edge++)
        {
            for (uint32_t i = 0; i < half; i++)
            {
                AddHost(edge);
            }
            for (uint32_t i = 0; i < half; i++)
            {
                JoinSwitches(edge, aggregations + edge / half * half + i);
            }
        }
        for (uint32_t a = 0; a < k * half; a++)
        {
            for (uint32_t i = 0; i < half; i++)
            {
                JoinSwitches(aggregations + a, cores + a % half * half + i);
            }
        }
        InstallShortestPaths(switches);
    }

    void SetBalancing(PacketSwitch::LoadBalancing balancing)
    {
        for (const auto& s : switches)
        {
            s->SetAttribute("LoadBalancing", EnumValue(balancing));
        }
    }

    /// Send an IPv4 and UDP packet. @param bytes of it, headers included
    void SendUdp(uint32_t from,
                 uint32_t to,
                 uint32_t bytes,
                 uint16_t sourcePort,
                 uint8_t priority = 0,
                 Ipv4Header::EcnType ecn = Ipv4Header::ECN_NotECT)
    {
        auto packet = MakeUdp(from, to, bytes, sourcePort, priority, ecn);
        devices[from]->Send(packet, devices[to]->GetAddress(), IPV4);
    }

    static Ptr<Packet> MakeUdp(uint32_t from,
                               uint32_t to,
                               uint32_t bytes,
                               uint16_t sourcePort,
                               uint8_t priority,
                               Ipv4Header::EcnType ecn)
    {
        auto packet = Create<Packet>(bytes - 28);
        UdpHeader udp;
        udp.SetSourcePort(sourcePort);
        udp.SetDestinationPort(4791);
        packet->AddHeader(udp);
        Ipv4Header ip;
        ip.SetSource(Ipv4Address(0x0a000000 + from));
        ip.SetDestination(Ipv4Address(0x0a000000 + to));
        ip.SetProtocol(17);
        ip.SetPayloadSize(bytes - 20);
        ip.SetTos(priority << 5);
        ip.SetEcn(ecn);
        packet->AddHeader(ip);
        return packet;
    }

    ObjectFactory factory{"ns3::photonic::PacketSwitch"}; ///< of switches
    std::vector<Ptr<PacketSwitch>> switches;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FABRIC_TEST_HELPER_H

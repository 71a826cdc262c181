/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPUS_PACKET_PATH_H
#define PHOTONIC_OPUS_PACKET_PATH_H

#include "opus-control-path.h"

#include "ns3/ipv4-address.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/node.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/socket.h"

#include <unordered_map>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief Messages are UDP datagrams on a front-end network of stock ns-3 devices.
 *
 * A star of point-to-point links around a router, in 172.16.0.0/12, with one /30 per link. The
 * nodes may have other interfaces: only a host route to the controller is added at a rank. Queues
 * and socket buffers have no bound and there is no traffic control and no ARP, so that a burst from
 * all ranks waits rather than drops.
 */
class OpusPacketPath : public OpusTimedPath
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    OpusPacketPath();
    ~OpusPacketPath() override;

    /// @param systemId of the MPI process that simulates router and controller, 0 if not set
    void SetSystem(uint32_t systemId);

    /**
     * Create router, controller node and links; install the Internet stack where it is missing.
     * @param nodes node of each rank, which may be the same for several ranks
     */
    void Build(const std::map<uint32_t, Ptr<Node>>& nodes);

    /// @return in the middle of the star
    Ptr<Node> GetRouterNode() const;
    /// @return the controller's end of its link
    Ptr<Node> GetControllerNode() const;

    /// @return all front-end devices, for tracing
    const std::vector<Ptr<PointToPointNetDevice>>& GetDevices() const;

  private:
    void DoDispose() override;
    void DoSend(const OpusMessage& message, Direction direction, const Cause& cause) override;

    /// A socket and the address of its interface.
    struct Port
    {
        Ptr<Socket> socket;
        Ipv4Address address;
        bool far{false}; ///< in another process than the controller
    };

    /// A packet from a rank at the router.
    struct Arrival
    {
        Ptr<NetDevice> device;
        Ptr<const Packet> packet;
        uint16_t protocol;
        Address from;
    };

    bool ReachRouter(Ptr<NetDevice> device,
                     Ptr<const Packet> packet,
                     uint16_t protocol,
                     const Address& from);
    void Forward();
    Port Connect(Ptr<Node> node, uint32_t link, Time delay);
    uint32_t AddInterface(Ptr<Node> node, Ptr<NetDevice> device, Ipv4Address address);
    void Receive(Direction direction, Ptr<Socket> socket);
    bool TakeCause(const OpusHeader& header, const Packet& packet, Cause& cause);
    void Dropped(std::string where, Ptr<const Packet> packet);
    void Ipv4Dropped(const Ipv4Header& header,
                     Ptr<const Packet> packet,
                     Ipv4L3Protocol::DropReason reason,
                     Ptr<Ipv4> ipv4,
                     uint32_t interface);

    uint32_t m_system{0};
    Ptr<Node> m_router;
    Ptr<Node> m_controllerNode;
    Port m_controller;
    std::map<uint32_t, Port> m_ranks;
    std::vector<Ptr<PointToPointNetDevice>> m_devices;
    std::vector<Arrival> m_atRouter;  ///< in this tick
    std::vector<Ptr<Node>> m_watched; ///< nodes whose IPv4 drops are watched

    /// A Cause does not travel in bytes: it waits here for its message, or goes with it as a tag to
    /// another process.
    std::unordered_map<uint64_t, Cause> m_causes;
    uint64_t m_lastId{0};

    // What waits on the controller's link for another message goes on because of that one.
    Time m_downlinkFree;
    Cause m_downlinkCause;
    Time m_lastArrival;
    Cause m_uplinkCause;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPUS_PACKET_PATH_H

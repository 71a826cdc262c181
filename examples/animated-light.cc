/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "animated-light.h"

#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"

using namespace ns3;
using namespace ns3::photonic;

/// See the header.
class AnimatedLight::Reporter : public Channel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("AnimatedLight::Reporter")
                                .SetParent<Channel>()
                                .AddTraceSource("TxRxPointToPoint",
                                                "A packet goes from one device to another.",
                                                MakeTraceSourceAccessor(&Reporter::m_packet),
                                                "ns3::PointToPointChannel::TxRxAnimationCallback");
        return tid;
    }

    std::size_t GetNDevices() const override
    {
        return 0;
    }

    Ptr<NetDevice> GetDevice(std::size_t) const override
    {
        return nullptr;
    }

    /// From device to device: the time until its last bit has left, and until it has arrived.
    TracedCallback<Ptr<const Packet>, Ptr<NetDevice>, Ptr<NetDevice>, Time, Time> m_packet;
};

AnimatedLight::AnimatedLight(const ParallelPlan& plan, const TrainingFabric& fabric)
    : m_plan(plan),
      m_fabric(fabric),
      m_reporter(CreateObject<Reporter>()),
      m_ends(fabric.ports.size()),
      m_turning(fabric.circuitSwitches.size())
{
    const uint32_t rails = fabric.circuitSwitches.size();
    const uint32_t nodes = fabric.ports.size() / rails;
    for (uint32_t rail = 0; rail < rails; rail++)
    {
        AnimationInterface::SetConstantPosition(fabric.circuitSwitches[rail]->GetObject<Node>(),
                                                10 * (nodes - 1),
                                                40 * rail);
    }
    for (uint32_t rank = 0; rank < fabric.ports.size(); rank++)
    {
        const uint32_t rail = rank % rails;
        const auto gpu = fabric.gpus.Get(rank);
        AnimationInterface::SetConstantPosition(gpu, 20 * plan.GetNode(rank), 40 * rail + 20);
        m_fibres.push_back(
            PointToPointHelper().Install(gpu, fabric.circuitSwitches[rail]->GetObject<Node>()));
        m_ends[rank].resize(fabric.ports[rank].size(), "nothing");
    }
}

AnimatedLight::~AnimatedLight() = default;

void
AnimatedLight::Show(AnimationInterface& animation)
{
    m_animation = &animation;
    for (uint32_t rank = 0; rank < m_fabric.ports.size(); rank++)
    {
        animation.UpdateNodeDescription(m_fabric.gpus.Get(rank), "GPU " + std::to_string(rank));
        animation.UpdateNodeColor(m_fabric.gpus.Get(rank), 234, 217, 138);
        for (uint32_t port = 0; port < m_fabric.ports[rank].size(); port++)
        {
            const Callback<void, Ptr<const Packet>> send(
                [this, rank, port](Ptr<const Packet> packet) { Send(rank, port, packet); });
            m_fabric.ports[rank][port]->TraceConnectWithoutContext("PhyTxBegin", send);
        }
    }
    for (uint32_t rail = 0; rail < m_fabric.circuitSwitches.size(); rail++)
    {
        const auto ocs = m_fabric.circuitSwitches[rail];
        const auto node = ocs->GetObject<Node>();
        animation.UpdateNodeDescription(node, "rail " + std::to_string(rail));
        animation.UpdateNodeColor(node, 255, 255, 255);
        const Callback<void, uint32_t, uint32_t, uint64_t, bool> change(
            [this, rail](uint32_t in, uint32_t out, uint64_t, bool up) {
                Change(rail, in, out, up);
            });
        ocs->TraceConnectWithoutContext("Circuit", change);
    }
}

uint64_t
AnimatedLight::GetChanges() const
{
    return m_changes;
}

/// A packet goes onto the line: along a fibre, through the switch as it is then, and along another.
void
AnimatedLight::Send(uint32_t rank, uint32_t nicPort, Ptr<const Packet> packet)
{
    const auto device = m_fabric.ports[rank][nicPort];
    const uint32_t rail = rank % m_fabric.circuitSwitches.size();
    const Time line = device->GetDataRate().CalculateBytesTxTime(
        packet->GetSize() + OpticalNetDevice::GetLineOverhead());
    TimeValue delay;
    device->GetChannel()->GetAttribute("Delay", delay);
    const auto fibre = m_fibres[rank];
    m_reporter->m_packet(packet, fibre.Get(0), fibre.Get(1), line, line + delay.Get());
    Simulator::Schedule(delay.Get(), [this, rank, rail, nicPort, packet, line, delay]() {
        const auto ocs = m_fabric.circuitSwitches[rail];
        const uint32_t out = ocs->GetOutput(m_fabric.GetSwitchPort(m_plan, rank, nicPort));
        if (out != OpticalCircuitSwitch::NO_PORT)
        {
            const auto end = m_fibres[GetRank(rail, out)];
            m_reporter->m_packet(packet, end.Get(1), end.Get(0), line, line + delay.Get());
        }
    });
}

/// A circuit comes up or goes down: the link of the GPU where it starts says where it leads.
void
AnimatedLight::Change(uint32_t rail, uint32_t in, uint32_t out, bool up)
{
    m_changes++;
    const auto ocs = m_fabric.circuitSwitches[rail];
    const auto node = ocs->GetObject<Node>();
    const uint32_t rank = GetRank(rail, in);
    auto& ends = m_ends[rank];
    ends[in % ends.size()] = up ? "GPU " + std::to_string(GetRank(rail, out)) : "nothing";
    std::string text = "ports to";
    for (std::size_t port = 0; port < ends.size(); port++)
    {
        text += (port == 0 ? " " : ", ") + ends[port];
    }
    m_animation->UpdateLinkDescription(m_fabric.gpus.Get(rank), node, text);
    Simulator::ScheduleNow(&AnimatedLight::Colour, this, rail); // when all of this moment is done
}

/// A switch is red while any of its ports turns.
void
AnimatedLight::Colour(uint32_t rail)
{
    const auto ocs = m_fabric.circuitSwitches[rail];
    bool turning = false;
    for (uint32_t port = 0; port < ocs->GetRadix(); port++)
    {
        turning = turning || ocs->IsDark(port);
    }
    if (turning != m_turning[rail])
    {
        m_turning[rail] = turning;
        m_animation->UpdateNodeColor(ocs->GetObject<Node>(),
                                     turning ? 200 : 255,
                                     turning ? 40 : 255,
                                     turning ? 40 : 255);
    }
}

uint32_t
AnimatedLight::GetRank(uint32_t rail, uint32_t switchPort) const
{
    const uint32_t node = switchPort / m_fabric.ports[rail].size();
    return node * m_fabric.circuitSwitches.size() + rail;
}

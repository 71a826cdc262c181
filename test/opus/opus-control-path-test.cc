/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/data-rate.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/opus-packet-path.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// What arrived, when and why.
struct Arrival
{
    OpusMessage message;
    Time at;
    uint64_t reconfigurations;
};

/// A path with a recorder at every end.
struct Recorder
{
    Recorder(Ptr<OpusControlPath> p, uint32_t ranks)
        : path(p)
    {
        auto record = [this](const OpusMessage& message, const Cause& cause) {
            arrivals.push_back({message, Simulator::Now(), cause.GetReconfigurations()});
        };
        path->SetControllerReceiver(record);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            path->SetRankReceiver(rank, record);
            nodes[rank] = CreateObject<Node>();
        }
        path->SetFailure([this](const std::string& reason) { failures.push_back(reason); });
        if (auto packets = DynamicCast<OpusPacketPath>(path))
        {
            packets->Build(nodes);
        }
    }

    ~Recorder()
    {
        Simulator::Destroy();
        path->Dispose();
    }

    Ptr<OpusControlPath> path;
    std::map<uint32_t, Ptr<Node>> nodes;
    std::vector<Arrival> arrivals;
    std::vector<std::string> failures;
};

OpusMessage
Message(OpusMessage::Type type, uint32_t rank, std::size_t openings = 0)
{
    OpusMessage message;
    message.type = type;
    message.rank = rank;
    message.openings.resize(openings);
    return message;
}

/// Time of a lone message of each size, both ways.
std::vector<Time>
LoneTimes(Ptr<OpusControlPath> path, Time delay, DataRate rate)
{
    path->SetAttribute("ControlDelay", TimeValue(delay));
    path->SetAttribute("FrontEndRate", DataRateValue(rate));
    Recorder recorder(path, 2);
    int at = 0;
    for (std::size_t openings : {0, 1, 170})
    {
        Simulator::Schedule(Seconds(++at), [&, openings] {
            path->SendToController(Message(OpusMessage::PROFILE, 1, openings), Cause());
        });
        Simulator::Schedule(Seconds(++at), [&, openings] {
            path->SendToRank(Message(OpusMessage::UNION, 0, openings), Cause());
        });
    }
    Simulator::Run();
    EXPECT_TRUE(recorder.failures.empty());
    EXPECT_EQ(recorder.arrivals.size(), 6U);
    EXPECT_EQ(path->GetMessages(), 6U);
    std::vector<Time> times;
    for (const auto& arrival : recorder.arrivals)
    {
        times.push_back(arrival.at);
    }
    return times;
}

} // namespace

TEST(OpusControlPath, LoneMessageTakesTheSameTimeInPacketsAndDelay)
{
    for (const Time& delay : {Time(0), NanoSeconds(1), MicroSeconds(10), MicroSeconds(777)})
    {
        for (const char* rate : {"10Gbps", "1Gbps", "7Mbps"})
        {
            const auto packets = LoneTimes(CreateObject<OpusPacketPath>(), delay, DataRate(rate));
            const auto delays = LoneTimes(CreateObject<OpusDelayPath>(), delay, DataRate(rate));
            EXPECT_EQ(packets, delays) << delay << " " << rate;
        }
    }
}

TEST(OpusControlPath, DelayIsPropagationAndTwoSerialisations)
{
    const auto times =
        LoneTimes(CreateObject<OpusDelayPath>(), MicroSeconds(10), DataRate("1Gbps"));
    EXPECT_EQ(times[0] - Seconds(1), MicroSeconds(10) + NanoSeconds(2 * (48 + 30) * 8));
    EXPECT_EQ(times[5] - Seconds(6), MicroSeconds(10) + NanoSeconds(2 * (48 + 1360 + 30) * 8));
}

TEST(OpusControlPath, MessagesOfOneTickArriveInTheOrderOfTheirRanks)
{
    for (const Ptr<OpusControlPath>& path : {Ptr<OpusControlPath>(CreateObject<OpusPacketPath>()),
                                             Ptr<OpusControlPath>(CreateObject<OpusDelayPath>())})
    {
        SCOPED_TRACE(path->GetInstanceTypeId().GetName());
        const std::vector<uint32_t> sent = {5, 2, 7, 0, 4, 1, 6, 3};
        Recorder recorder(path, sent.size());
        for (uint32_t rank : sent)
        {
            Simulator::Schedule(Seconds(1), [&path, rank] {
                path->SendToController(Message(OpusMessage::REQUEST, rank), Cause());
            });
        }
        Simulator::Run();
        ASSERT_EQ(recorder.arrivals.size(), sent.size());
        for (uint32_t i = 0; i < sent.size(); i++)
        {
            EXPECT_EQ(recorder.arrivals[i].message.rank, i);
        }
    }
}

TEST(OpusControlPath, BurstFromAllRanksDoesNotDrop)
{
    const uint32_t ranks = 256;
    auto path = CreateObject<OpusPacketPath>();
    Recorder recorder(path, ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        for (int i = 0; i < 5; ++i)
        {
            path->SendToController(Message(OpusMessage::REGISTER, rank), Cause());
        }
        for (int i = 0; i < 4; ++i)
        {
            path->SendToController(Message(OpusMessage::PROFILE, rank, 170), Cause());
        }
    }
    Simulator::Run();
    EXPECT_TRUE(recorder.failures.empty());
    EXPECT_EQ(recorder.arrivals.size(), 9 * ranks);
    recorder.arrivals.clear();
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        for (int i = 0; i < 8; ++i)
        {
            path->SendToRank(Message(OpusMessage::UNION, rank, 170), Cause());
        }
    }
    Simulator::Run();
    EXPECT_TRUE(recorder.failures.empty());
    EXPECT_EQ(recorder.arrivals.size(), 8 * ranks);
}

TEST(OpusControlPath, OrderIsKeptOnEveryPath)
{
    const std::vector<Ptr<OpusControlPath>> paths{CreateObject<OpusPacketPath>(),
                                                  CreateObject<OpusDelayPath>(),
                                                  CreateObject<OpusInstantPath>()};
    for (const auto& path : paths)
    {
        Recorder recorder(path, 1);
        // A long one and a short one: the short one must not overtake.
        path->SendToController(Message(OpusMessage::PROFILE, 0, 170), Cause());
        path->SendToController(Message(OpusMessage::READY, 0), Cause());
        Simulator::Run();
        ASSERT_EQ(recorder.arrivals.size(), 2U);
        EXPECT_EQ(recorder.arrivals[0].message.type, OpusMessage::PROFILE);
        EXPECT_EQ(recorder.arrivals[1].message.type, OpusMessage::READY);
        EXPECT_EQ(path->TakesTime(), recorder.arrivals[0].at > Time(0));
    }
}

TEST(OpusControlPath, InstantAnswersFollowWhatWasSentAtOnce)
{
    auto path = CreateObject<OpusInstantPath>();
    std::vector<OpusMessage::Type> order;
    path->SetRankReceiver(0, [&](const OpusMessage& m, const Cause&) {
        order.push_back(m.type);
        path->SendToController(Message(OpusMessage::READY, 0), Cause());
    });
    path->SetRankReceiver(1, [&](const OpusMessage& m, const Cause&) { order.push_back(m.type); });
    path->SetControllerReceiver(
        [&](const OpusMessage& m, const Cause&) { order.push_back(m.type); });
    path->SendToRanks({Message(OpusMessage::GRANTED, 0), Message(OpusMessage::WITHDRAWN, 1)},
                      Cause());
    EXPECT_EQ(order,
              (std::vector<OpusMessage::Type>{OpusMessage::GRANTED,
                                              OpusMessage::WITHDRAWN,
                                              OpusMessage::READY}));
    path->Dispose();
}

TEST(OpusControlPath, CauseGoesWithItsMessage)
{
    auto path = CreateObject<OpusPacketPath>();
    Recorder recorder(path, 2);
    const Cause one = Cause().AfterReconfiguration(1);
    path->SendToController(Message(OpusMessage::REQUEST, 0), one);
    Simulator::Schedule(Seconds(1), [&] {
        path->SendToRank(Message(OpusMessage::GRANTED, 1), one.AfterReconfiguration(2));
        // Behind it on the controller's link: it goes on because of the first.
        path->SendToRank(Message(OpusMessage::GRANTED, 0), Cause());
    });
    Simulator::Run();
    ASSERT_EQ(recorder.arrivals.size(), 3U);
    EXPECT_EQ(recorder.arrivals[0].reconfigurations, 1U);
    EXPECT_EQ(recorder.arrivals[1].reconfigurations, 2U);
    EXPECT_EQ(recorder.arrivals[2].reconfigurations, 2U);
}

TEST(OpusControlPath, LostMessageIsAFailureByName)
{
    auto path = CreateObject<OpusPacketPath>();
    Recorder recorder(path, 1);
    for (const auto& device : path->GetDevices())
    {
        device->GetQueue()->SetMaxSize(QueueSize("1p"));
    }
    for (int i = 0; i < 4; ++i)
    {
        path->SendToController(Message(OpusMessage::REQUEST, 0), Cause());
    }
    Simulator::Run();
    ASSERT_FALSE(recorder.failures.empty());
    EXPECT_EQ(recorder.failures[0], "a control message was lost in a front-end device");
}

TEST(OpusControlPath, UndecodableMessageIsAFailureByName)
{
    auto path = CreateObject<OpusPacketPath>();
    Recorder recorder(path, 1);
    auto node = recorder.nodes[0];
    auto socket = Socket::CreateSocket(node, TypeId::LookupByName("ns3::UdpSocketFactory"));
    socket->Bind();
    const auto ipv4 = path->GetControllerNode()->GetObject<Ipv4>();
    socket->SendTo(Create<Packet>(100),
                   0,
                   InetSocketAddress(ipv4->GetAddress(1, 0).GetLocal(), 4792));
    Simulator::Run();
    EXPECT_TRUE(recorder.arrivals.empty());
    EXPECT_EQ(recorder.failures,
              std::vector<std::string>{"a control message arrived that cannot be decoded"});
}

TEST(OpusControlPath, UnknownRankIsAFailureByName)
{
    auto path = CreateObject<OpusDelayPath>();
    Recorder recorder(path, 1);
    path->SendToRank(Message(OpusMessage::GRANTED, 5), Cause());
    Simulator::Run();
    EXPECT_EQ(recorder.failures,
              std::vector<std::string>{"nobody receives control messages of rank 5"});
}

TEST(OpusControlPath, NodeWithAnotherNicAndStackWorks)
{
    auto path = CreateObject<OpusPacketPath>();
    std::map<uint32_t, Ptr<Node>> nodes{{0, CreateObject<Node>()}, {1, nullptr}};
    nodes[1] = nodes[0]; // two ranks on one node
    auto other = CreateObject<PointToPointNetDevice>();
    nodes[0]->AddDevice(other);
    InternetStackHelper().Install(nodes[0]);
    auto ipv4 = nodes[0]->GetObject<Ipv4>();
    const uint32_t interface = ipv4->AddInterface(other);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress("10.0.0.1", "255.255.255.0"));
    ipv4->SetUp(interface);
    std::vector<uint32_t> got;
    path->SetFailure([](const std::string& reason) { FAIL() << reason; });
    path->SetControllerReceiver([&](const OpusMessage& m, const Cause& c) {
        got.push_back(m.rank);
        path->SendToRank(m, c);
    });
    for (uint32_t rank : {0, 1})
    {
        path->SetRankReceiver(rank, [&, rank](const OpusMessage&, const Cause&) {
            got.push_back(100 + rank);
        });
    }
    path->Build(nodes);
    path->SendToController(Message(OpusMessage::READY, 0), Cause());
    path->SendToController(Message(OpusMessage::READY, 1), Cause());
    Simulator::Run();
    EXPECT_EQ(got, (std::vector<uint32_t>{0, 1, 100, 101}));
    Simulator::Destroy();
    path->Dispose();
}

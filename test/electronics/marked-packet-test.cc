/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Packets that nobody has looked at cross switches as their labels say, and show it when they are
 * made.
 */
#include "shared-buffer-test-helper.h"

#include "ns3/packet-maker.h"
#include "ns3/roce-header.h"

#include <algorithm>
#include <memory>
#include <set>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr uint32_t BYTES = 1000 - 38; ///< of a packet without link header

/// Packets of a connection.
class RocePackets : public PacketMaker
{
  public:
    RocePackets(Address from, Address to, const PacketSource& receiver, const RoceHeader& header)
        : PacketMaker(Mac48Address::ConvertFrom(from),
                      Mac48Address::ConvertFrom(to),
                      RoceHeader::PROTOCOL,
                      receiver,
                      header.GetLabel()),
          m_header(header)
    {
    }

    Ptr<Packet> MakePacket(uint32_t sequence, uint32_t bytes) const override
    {
        RoceHeader header = m_header;
        header.SetPacket(sequence, bytes - RoceHeader::SIZE - RoceHeader::ICRC_BYTES);
        auto packet = Create<Packet>(bytes - RoceHeader::SIZE);
        packet->AddHeader(header);
        return packet;
    }

  private:
    RoceHeader m_header;
};

/// Sends packets that are not made, and notes the labels of those that come.
class LazySource : public PacketSource
{
  public:
    explicit LazySource(Ptr<OpticalNetDevice> device)
        : m_device(device)
    {
        device->SetPacketSource(this);
    }

    ~LazySource() override
    {
        m_device->SetPacketSource(nullptr);
    }

    void Post(Ptr<const PacketMaker> maker, uint32_t count)
    {
        m_device->Advance();
        const bool hadPacket = HasPacket();
        m_maker = maker;
        m_left += count;
        if (!hadPacket)
        {
            m_device->NotifySource();
        }
    }

    bool HasPacket() const override
    {
        return m_left > 0;
    }

    uint8_t GetPriority() const override
    {
        return m_maker->GetLabel().priority;
    }

    void SendNext(const ExactTime&) override
    {
        m_left--;
        m_device->SendLazy(m_maker, m_sequence++, BYTES);
    }

    void ReceiveLazy(const Frame& frame) override
    {
        marks.push_back(frame.label.ecn == Ecn::CE);
        arrivals.push_back(Simulator::Now());
        EXPECT_FALSE(frame.packet);
    }

    std::vector<bool> marks;
    std::vector<Time> arrivals;

  private:
    Ptr<OpticalNetDevice> m_device;
    Ptr<const PacketMaker> m_maker;
    uint32_t m_left{0};
    uint32_t m_sequence{0};
};

} // namespace

class MarkedPacketTest : public SharedBufferTest
{
  protected:
    /// Three hosts on a switch that marks above 10 packets.
    void Build()
    {
        factory.Set("EcnKmin", UintegerValue(10'000));
        factory.Set("EcnKmax", UintegerValue(10'000));
        AddSwitches(1);
        for (int i = 0; i < 3; i++)
        {
            AddHost(0);
            // Nobody but the node wants its packets, so that none is made for that.
            CreateObject<Node>()->AddDevice(devices[i]);
            sources.push_back(std::make_unique<LazySource>(devices[i]));
        }
        InstallShortestPaths(switches);
    }

    void StartOver() override
    {
        sources.clear();
        SharedBufferTest::StartOver();
    }

    Ptr<RocePackets> MakePackets(uint32_t from, uint32_t to, Ecn ecn, uint8_t priority = 3)
    {
        RoceHeader header;
        header.SetAddresses(0x0a000000 + from, 0x0a000000 + to);
        header.SetTraffic(priority, ecn);
        header.SetEntropy(from);
        return Create<RocePackets>(devices[from]->GetAddress(),
                                   devices[to]->GetAddress(),
                                   *sources[to],
                                   header);
    }

    std::vector<std::unique_ptr<LazySource>> sources;
};

TEST_F(MarkedPacketTest, AMarkReachesTheReceiverWithoutAPacketAndShowsInOne)
{
    std::vector<bool> seen;
    std::vector<bool> valid;
    std::vector<bool> lazily;
    std::vector<Time> times;
    std::vector<Time> firstTimes;
    for (bool looked : {false, true})
    {
        Build();
        if (looked)
        {
            devices[2]->TraceConnectWithoutContext(
                "PhyRxEnd",
                Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                    uint8_t bytes[34];
                    packet->CopyData(bytes, 34);
                    seen.push_back((bytes[15] & 3) == 3);
                    EXPECT_EQ(bytes[15] >> 5, 3) << "the class selector";
                    uint32_t sum = 0; // RFC 1071
                    for (int i = 14; i < 34; i += 2)
                    {
                        sum += bytes[i] << 8 | bytes[i + 1];
                    }
                    valid.push_back((sum & 0xffff) + (sum >> 16) == 0xffff);
                    times.push_back(Simulator::Now());
                }));
        }
        sources[0]->Post(MakePackets(0, 2, Ecn::ECT_0), 50);
        sources[1]->Post(MakePackets(1, 2, Ecn::ECT_0), 50);
        Simulator::Run();
        if (looked)
        {
            ASSERT_EQ(seen.size(), 100U);
            EXPECT_EQ(std::count(valid.begin(), valid.end(), true), 100);
            EXPECT_EQ(times, firstTimes) << "who looks changes nothing";
        }
        else
        {
            lazily = sources[2]->marks;
            firstTimes = sources[2]->arrivals;
            ASSERT_EQ(lazily.size(), 100U);
        }
        StartOver();
    }
    EXPECT_EQ(seen, lazily);
    EXPECT_GT(std::count(seen.begin(), seen.end(), true), 50);
    EXPECT_GT(std::count(seen.begin(), seen.end(), false), 10);
}

TEST_F(MarkedPacketTest, WhatCannotBeMarkedIsNot)
{
    Build();
    sources[0]->Post(MakePackets(0, 2, Ecn::NOT_ECT), 50);
    sources[1]->Post(MakePackets(1, 2, Ecn::NOT_ECT), 50);
    Simulator::Run();
    EXPECT_EQ(sources[2]->marks, std::vector<bool>(100, false));
}

TEST_F(MarkedPacketTest, LabelsAreWhatThePacketsSay)
{
    Build();
    std::set<uint32_t> flows;
    for (uint8_t priority = 0; priority < 8; priority++)
    {
        for (uint32_t from : {0, 1})
        {
            const auto packets = MakePackets(from, 2, Ecn::ECT_0, priority);
            const auto read = TrafficLabel::Of(*packets->MakeFramed(77, 500));
            EXPECT_EQ(read.priority, priority);
            EXPECT_EQ(read.ecn, Ecn::ECT_0);
            EXPECT_EQ(packets->GetLabel().priority, priority);
            EXPECT_EQ(packets->GetLabel().ecn, Ecn::ECT_0);
            EXPECT_EQ(packets->GetLabel().flow, read.flow);
            flows.insert(read.flow);
        }
    }
    EXPECT_EQ(flows.size(), 2U);
}

TEST_F(MarkedPacketTest, TrainsAreRefusedByName)
{
    /// Notes where it was refused.
    struct Train : public PacketTrain
    {
        Train()
            : PacketTrain(3, 1000, 1000)
        {
        }

        void Contended(const std::string& where) override
        {
            places.push_back(where);
        }

        std::vector<std::string> places;
    };

    /// Sends one train.
    struct TrainSource : public PacketSource
    {
        bool HasPacket() const override
        {
            return !sent;
        }

        void SendNext(const ExactTime&) override
        {
            sent = true;
            device->SendTrain(train, to);
        }

        Ptr<OpticalNetDevice> device;
        Ptr<Train> train = Create<Train>();
        Mac48Address to;
        bool sent{false};
    };

    Build();
    TrainSource source;
    source.device = devices[0];
    source.to = Mac48Address::ConvertFrom(devices[1]->GetAddress());
    devices[0]->SetPacketSource(&source);
    devices[0]->NotifySource();
    Simulator::Run();
    EXPECT_EQ(source.train->places,
              (std::vector<std::string>{"a packet switch with a finite buffer"}));
    EXPECT_EQ(GetDropped(0, "train of packets"), 3U);
}

} // namespace photonic
} // namespace ns3

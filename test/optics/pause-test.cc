/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "electronics/fabric-test-helper.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/pause-header.h"

#include <algorithm>

namespace ns3
{
namespace photonic
{

TEST(PauseHeader, IsWhatTheStandardSays)
{
    // IEEE 802.3, annex 31D: opcode 0x0101, class-enable vector, eight times, padding.
    PauseHeader header;
    header.SetTime(3, 0xffff);
    header.SetTime(0, 0x1234);
    auto packet = Create<Packet>();
    packet->AddHeader(header);
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), bytes.size());
    std::vector<uint8_t> expected{0x01, 0x01, 0x00, 0x09, 0x12, 0x34, 0, 0, 0, 0, 0xff, 0xff};
    expected.resize(46);
    EXPECT_EQ(bytes, expected);
    PauseHeader read;
    packet->RemoveHeader(read);
    EXPECT_TRUE(read.IsPause());
    EXPECT_EQ(read.GetTime(0), 0x1234);
    EXPECT_EQ(read.GetTime(3), 0xffff);
    EXPECT_TRUE(read.IsMeant(3));
    EXPECT_FALSE(read.IsMeant(1));
    // 64 bytes of MAC frame, 8 of preamble, 12 of gap.
    EXPECT_EQ(PauseHeader::LINE_BYTES, 84U);
}

/// Two devices on one fibre; device 1 pauses what device 0 sends.
class PauseTest : public FabricTest
{
  protected:
    static constexpr uint64_t RATE = 64'000'000'000; ///< a quantum of 512 bits takes 8 ns

    void Build()
    {
        AddDevice(RATE);
        AddDevice(RATE);
        Join(0, 1, FIBRE);
        devices[0]->GetQueue()->SetMaxSize(QueueSize("1000p"));
    }

    void PauseAt(Time at, uint8_t priority, uint16_t quanta)
    {
        At(at, [this, priority, quanta] {
            PauseHeader header;
            header.SetTime(priority, quanta);
            auto packet = Create<Packet>();
            packet->AddHeader(header);
            devices[1]->Send(packet, Mac48Address("01:80:c2:00:00:01"), PauseHeader::PROTOCOL);
        });
    }

    /// Device 0 sends packets of 1,000 line bytes, which take 125 ns.
    void SendTen(uint8_t priority)
    {
        for (int k = 0; k < 10; k++)
        {
            SendUdp(0, 1, 1000 - 38, 0xc000, priority);
        }
    }

    std::vector<Time> ArrivalsOf(std::size_t first, std::size_t last) const
    {
        const auto all = ArrivalsAt(1);
        return {all.begin() + first, all.begin() + last};
    }

    static std::vector<Time> BackToBack(Time first, std::size_t count)
    {
        std::vector<Time> times;
        for (std::size_t k = 0; k < count; k++)
        {
            times.push_back(first + NanoSeconds(125) * static_cast<int64_t>(k));
        }
        return times;
    }

    /// A pause frame takes 84 * 8 / 64 = 10.5 ns, and the fibre.
    Time Effective(Time sent) const
    {
        return sent + LineTime(84, RATE) + FIBRE;
    }
};

TEST_F(PauseTest, APauseLastsItsQuantaFromItsArrival)
{
    Build();
    SendTen(3);
    PauseAt(NanoSeconds(200), 3, 1000);
    Simulator::Run();
    // At 261 ns the third packet is on the line: it goes on, and the fourth waits.
    const Time over = Effective(NanoSeconds(200)) + NanoSeconds(8000);
    EXPECT_EQ(ArrivalsOf(0, 3), BackToBack(NanoSeconds(125) + FIBRE, 3));
    EXPECT_EQ(ArrivalsOf(3, 10), BackToBack(over + NanoSeconds(125) + FIBRE, 7));
    EXPECT_EQ(devices[0]->GetPausedTime(3), NanoSeconds(8000));
    EXPECT_FALSE(devices[0]->IsPaused(3));
    EXPECT_EQ(received.size(), 10U) << "the pause frame is not for software";
}

TEST_F(PauseTest, ALaterFrameReplacesTheTime)
{
    for (uint16_t second : {0, 50, 3000})
    {
        SCOPED_TRACE(second);
        Build();
        SendTen(3);
        PauseAt(NanoSeconds(200), 3, 1000);
        PauseAt(NanoSeconds(1200), 3, second);
        Simulator::Run();
        const Time over = Effective(NanoSeconds(1200)) + NanoSeconds(8) * second;
        EXPECT_EQ(ArrivalsOf(3, 10), BackToBack(over + NanoSeconds(125) + FIBRE, 7));
        EXPECT_EQ(devices[0]->GetPausedTime(3), NanoSeconds(1000 + 8 * second));
        StartOver();
    }
}

TEST_F(PauseTest, OtherClassesPass)
{
    Build();
    SendTen(3);
    SendTen(5);
    PauseAt(NanoSeconds(200), 3, 1000);
    bool paused = false;
    At(NanoSeconds(1000), [this, &paused] {
        paused = devices[0]->IsPaused(3) && !devices[0]->IsPaused(5);
        EXPECT_TRUE(devices[0]->IsBusy());
    });
    Simulator::Run();
    EXPECT_TRUE(paused);
    // Three of class 3, ten of class 5 right after them, and the others when the time is over.
    EXPECT_EQ(ArrivalsOf(0, 13), BackToBack(NanoSeconds(125) + FIBRE, 13));
    const Time over = Effective(NanoSeconds(200)) + NanoSeconds(8000);
    EXPECT_EQ(ArrivalsOf(13, 20), BackToBack(over + NanoSeconds(125) + FIBRE, 7));
    EXPECT_EQ(devices[0]->GetPausedTime(5), Time(0));
}

TEST_F(PauseTest, AnotherQueueIsHeldByItsFirstPacket)
{
    Build();
    auto fifo = CreateObject<DropTailQueue<Packet>>();
    devices[0]->SetQueue(fifo);
    SendTen(3);
    SendTen(5);
    PauseAt(NanoSeconds(200), 3, 1000);
    Simulator::Run();
    const Time over = Effective(NanoSeconds(200)) + NanoSeconds(8000);
    EXPECT_EQ(ArrivalsOf(3, 20), BackToBack(over + NanoSeconds(125) + FIBRE, 17));
}

TEST_F(PauseTest, APacketSourceIsHeldByTheClassThatItOffers)
{
    for (uint8_t priority : {0, 6})
    {
        SCOPED_TRACE(int(priority));
        Build();
        ListSource source(devices[0]); // offers class 0
        source.Post(1000 - 38, 10);
        PauseAt(NanoSeconds(200), priority, 1000);
        // A packet of stock traffic of another class overtakes it.
        At(NanoSeconds(2000), [this] { SendUdp(0, 1, 1000 - 38, 0xc000, 2); });
        Simulator::Run();
        ASSERT_EQ(received.size(), 11U);
        if (priority == 0)
        {
            const Time over = Effective(NanoSeconds(200)) + NanoSeconds(8000);
            EXPECT_EQ(ArrivalsOf(3, 4), BackToBack(NanoSeconds(2125) + FIBRE, 1));
            EXPECT_EQ(ArrivalsOf(4, 11), BackToBack(over + NanoSeconds(125) + FIBRE, 7));
        }
        else
        {
            EXPECT_EQ(ArrivalsOf(0, 10), BackToBack(NanoSeconds(125) + FIBRE, 10));
        }
        StartOver();
    }
}

TEST_F(PauseTest, TheNextPeerOfACircuitHasPausedNothing)
{
    auto ocs = CreateObject<OpticalCircuitSwitch>();
    for (uint32_t port : {0, 1, 2})
    {
        AddDevice(RATE);
        auto fibre = CreateFibre(FIBRE);
        devices[port]->Attach(fibre);
        ocs->Attach(port, fibre);
    }
    ocs->Preset({{0, 1}});
    SendTen(3);
    PauseAt(NanoSeconds(10), 3, 0xffff);
    At(NanoSeconds(5000), [&ocs] { ocs->Reconfigure({{0, 2}}); });
    Simulator::Run();
    EXPECT_LT(ArrivalsAt(1).size(), 4U);
    // The queue goes to the new peer, which drops what is not for it.
    EXPECT_EQ(ArrivalsAt(1).size() + Drops(2, "for another port"), 10U);
}

} // namespace photonic
} // namespace ns3

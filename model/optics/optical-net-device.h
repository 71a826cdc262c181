/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTICAL_NET_DEVICE_H
#define PHOTONIC_OPTICAL_NET_DEVICE_H

#include "light-path.h"
#include "optical-channel.h"
#include "packet-source.h"
#include "pause-gate.h"

#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/event-id.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/queue.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <map>
#include <memory>
#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @brief A NIC port with an optical transceiver.
 *
 * It frames packets as Ethernet (14-byte header, and 24 bytes that occupy the line only: preamble,
 * check sequence, gap) and serialises them one after the other on its line clock, which carries
 * exact fractions of a tick. Its peer is whoever the light reaches: a device at the other end of
 * the fibre, a packet switch, or whatever the optical circuit switch has joined it to just now.
 *
 * A peer may pause classes of traffic (IEEE 802.1Qbb); the others pass meanwhile.
 *
 * Stock traffic waits in the transmit queue; a PacketSource is asked for its packets when the line
 * is free. The two alternate packet by packet. While there is no light, packets wait or are
 * dropped as DarkPolicy says. Link up and down is told through the link-change callbacks.
 *
 * Where light comes during the simulation, the port starts no packet before BringUpTime is over: a
 * NIC has to find the signal, train its equaliser and agree with its peer. That is beside the time
 * for which mirrors turn; the link is down meanwhile. Each end draws its own time. Light that is
 * there before the start needs none.
 *
 * By default there is no ARP: a packet goes to whoever the circuit leads to, so that addresses and
 * connections survive a re-circuit without a lost first packet. Behind a packet switch, where the
 * address decides, set Arp to true for IP traffic.
 */
class OpticalNetDevice : public NetDevice, public FibreEnd
{
  public:
    /// What happens to packets that cannot be sent because there is no light.
    enum DarkPolicy
    {
        WAIT, ///< they wait in the queue, in order
        DROP, ///< they are dropped, counted and traced
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    OpticalNetDevice();
    ~OpticalNetDevice() override;

    /**
     * Connect to one end of a fibre.
     * @param fibre the channel; a device has one (else std::logic_error)
     */
    void Attach(Ptr<OpticalChannel> fibre);

    /**
     * @param source of packets that are fetched when the line is free; it must outlive the device's
     *        events, or be taken away with nullptr
     */
    void SetPacketSource(PacketSource* source);

    /// The packet source has something to send for now where it had nothing that was not paused
    /// after Advance().
    void NotifySource();

    /**
     * Send a packet that becomes a Packet only if somebody looks at it, at either end or on the
     * way; only in answer to PacketSource::SendNext(). With LazyPackets off, or with a trace
     * connected, it is made now and passes Send().
     * @param maker of the packet @param sequence which packet
     * @param bytes of the packet, without link header
     */
    void SendLazy(const Ptr<const PacketMaker>& maker, uint32_t sequence, uint32_t bytes);

    /**
     * Send many packets at once; only in answer to PacketSource::SendNext().
     * @param train the packets
     * @param dest link address of the receiver
     */
    void SendTrain(Ptr<PacketTrain> train, Mac48Address dest);

    /// @return the transmit queue of stock traffic
    Ptr<Queue<Packet>> GetQueue() const;
    /// @param queue for packets that wait for the line or for light
    void SetQueue(Ptr<Queue<Packet>> queue);

    /// @return rate of the line
    DataRate GetDataRate() const;

    /// @return the same, for exact times on the line
    const LineRate& GetLineRate() const
    {
        return m_line.GetRate();
    }

    /// @param rate above 0 (else std::invalid_argument); takes effect with the next packet
    void SetDataRate(DataRate rate);

    static constexpr uint32_t ETHERNET_BYTES = 14; ///< of the link header

    /// @return bytes that occupy the line beside an Ethernet frame: preamble, check sequence, gap
    static constexpr uint32_t GetLineOverhead()
    {
        return 24;
    }

    /// @return bytes that occupy the line beside the payload of a frame
    static constexpr uint32_t GetFrameOverhead()
    {
        return ETHERNET_BYTES + GetLineOverhead();
    }

    /// @return packets lost or dropped here, by reason
    const std::map<std::string, uint64_t>& GetDrops() const;
    /// @return bytes that it has sent, preambles and gaps included
    uint64_t GetLineBytes();
    /// @return whether a packet is on the line or waits for it
    bool IsBusy();
    /// @param priority a class of traffic @return whether the peer has paused it
    bool IsPaused(uint8_t priority) const;
    /// @param priority a class of traffic @return for how long the present peer has paused it so
    /// far
    Time GetPausedTime(uint8_t priority) const;
    /// @return whether there is light to send into
    bool CanTransmit() const;

    /// @param failed whether nothing gets in or out from now on; a packet on the line is lost
    void SetFailed(bool failed);
    /// @return whether nothing does
    bool IsFailed() const;

    /**
     * Fix the random variable of the bring-up time, and that of the error model.
     * @param stream of the first
     * @return how many there are
     */
    int64_t AssignStreams(int64_t stream);
    /// @return when the packet that went onto the line last arrives, if there is light; to whoever
    ExactTime GetLastArrival() const;

    // inherited from NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address group) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocol) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

    // inherited from FibreEnd
    void Advance() override;
    bool GetNextStart(const LightPath& path, ExactTime& start) const override;
    bool IsCutThrough() const override;
    void Arrive(Frame& frame, Time propagation) override;
    void Lost(Frame& frame, const char* reason) override;
    void LightUp(Ptr<LightPath> path) override;
    void BringUp(Ptr<LightPath> path) override;
    void LightDown() override;
    ExactTime FinishPacket() override;
    void ReceiverLit(bool lit) override;
    bool IsWatched() const override;
    uint32_t GetContext() const override;
    Ptr<NetDevice> GetDevice() const override;

    /// Trace of links that come up: since when there has been light, how long it took.
    typedef void (*BringUpTracedCallback)(Time since, Time took);
    /// Trace of the port. @param failed or repaired
    typedef void (*FailedTracedCallback)(bool failed);
    /// Trace of pause frames that arrive: a class that one means, its time in quanta of 512 bits.
    typedef void (*PauseTracedCallback)(uint8_t priority, uint16_t quanta);

  protected:
    void DoDispose() override;

  private:
    bool SendFrame(Ptr<Packet> packet, Mac48Address from, Mac48Address to, uint16_t protocol);
    Mac48Address GetMacAddress() const;
    void SetMacAddress(Mac48Address address);
    bool HasQueued() const;
    bool IsFetchable() const;
    bool HasBacklog() const;
    ExactTime NextStart(bool queued, bool& fetchable) const;
    void AdvanceWithinTick();
    void AdvanceTo(const ExactTime& now, bool tickIsOver);
    void StartNext(const ExactTime& start, bool queued, bool fetchable);
    void Transmit(Ptr<Packet> packet, uint64_t destination, const ExactTime& start);
    void PutOnLine(Frame& frame, const ExactTime& start);
    void TakeLight(Ptr<LightPath> path, bool held, bool wasUp);
    void EndBringUp();
    void DropBacklog();
    void BlockSource(Time at);
    void ReceivePause(const Packet& packet);
    void ApplyPause();
    void Drop(Ptr<const Packet> packet, const std::string& reason);
    bool IsTransmissionSeen() const;
    bool IsReceptionSeen() const;
    void ScheduleAdvance(const ExactTime& start, bool queued);

    Mac48Address m_address;
    uint64_t m_addressNumber{0}; ///< see ToInteger()
    LineClock m_line;
    DataRate m_rate;
    uint16_t m_mtu;
    DarkPolicy m_darkPolicy;
    bool m_arp;
    bool m_lazyPackets;
    Ptr<Queue<Packet>> m_queue;
    Ptr<ErrorModel> m_errorModel;
    PacketSource* m_source{nullptr};
    Ptr<OpticalChannel> m_fibre;
    Ptr<Node> m_node;
    uint32_t m_ifIndex{0};

    Ptr<LightPath> m_path;                   ///< where light goes; null: dark
    Ptr<LightPath> m_comingPath;             ///< the same, while the link is brought up
    Time m_comingSince;                      ///< since when
    EventId m_bringUp;                       ///< the end of that
    Ptr<RandomVariableStream> m_bringUpTime; ///< in seconds; null: none
    bool m_failed{false};                    ///< nothing gets in or out
    bool m_receiverLit{false};               ///< light may come in
    bool m_held{false};                      ///< asked to start no further packet
    bool m_sourceBlocked{false};        ///< the source has packets, and there is no light for them
    Time m_blockedAt;                   ///< since when
    std::unique_ptr<PauseGate> m_pause; ///< once the peer has paused something
    Time m_readyAt;           ///< since when there is something to send and light to send into
    bool m_advancing{false};  ///< guards against re-entry through Send()
    bool m_fetching{false};   ///< Send() is the answer to SendNext()
    ExactTime m_fetchStart;   ///< when the fetched packet starts
    bool m_sourceNext{false}; ///< whose turn it is when queue and source both have packets
    EventId m_advance;        ///< at the end of the present packet, when somebody may look
    EventId m_txEnd;          ///< of the present packet, where it is traced
    std::map<std::string, uint64_t> m_drops;

    ReceiveCallback m_receive;
    bool m_joiningNode{false};   ///< the next receive callback is the node's
    bool m_receiveIsNode{false}; ///< the receive callback is the node's, and nobody else's
    PromiscReceiveCallback m_promiscReceive;
    TracedCallback<> m_linkChange;
    TracedCallback<Ptr<const Packet>> m_macTxTrace;
    TracedCallback<Ptr<const Packet>> m_macTxDropTrace;
    TracedCallback<Ptr<const Packet>> m_macPromiscRxTrace;
    TracedCallback<Ptr<const Packet>> m_macRxTrace;
    TracedCallback<Ptr<const Packet>> m_phyTxBeginTrace;
    TracedCallback<Ptr<const Packet>> m_phyTxEndTrace;
    TracedCallback<Ptr<const Packet>> m_phyTxDropTrace;
    TracedCallback<Ptr<const Packet>> m_phyRxEndTrace;
    TracedCallback<Ptr<const Packet>> m_phyRxDropTrace;
    TracedCallback<Ptr<const Packet>> m_snifferTrace;
    TracedCallback<Ptr<const Packet>> m_promiscSnifferTrace;
    TracedCallback<Ptr<const Packet>, const std::string&> m_dropTrace;
    TracedCallback<uint8_t, uint16_t> m_pauseTrace;
    TracedCallback<Time, Time> m_bringUpTrace;
    TracedCallback<bool> m_failedTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTICAL_NET_DEVICE_H

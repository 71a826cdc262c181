/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAIN_PORT_H
#define PHOTONIC_TRAIN_PORT_H

#include "message-endpoint.h"

#include "ns3/optical-net-device.h"

#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief Messages as trains of packets of a NIC port (message fidelity).
 *
 * A message is one event per hop, and arrives at the same tick as its packets would: a train has
 * their bytes and headers on the line, and is cut between two packets where a circuit is drained.
 * Messages of different communicators or sources would alternate packet by packet; if two meet on a
 * line, at the port or at an output of a packet switch, that is a failure which names both.
 */
class TrainPort : public MessagePort, public PacketSource
{
  public:
    /**
     * @param endpoint that the port belongs to
     * @param device of the endpoint's node
     */
    TrainPort(MessageEndpoint& endpoint, Ptr<OpticalNetDevice> device);
    ~TrainPort() override;

    // inherited from MessagePort
    void Post(Ptr<Message> message) override;
    uint64_t GetBacklog() override;
    uint64_t GetPacketsReceived() const override;

    // inherited from PacketSource
    bool HasPacket() const override;
    void SendNext(const ExactTime& start) override;
    void TakeBack(uint64_t packets) override;
    void LightCame(Time waited) override;
    void ReceiveTrain(const Frame& frame, const ExactTime& head) override;

  private:
    class Train;

    /// A port that messages go to.
    struct Peer
    {
        uint32_t rank;
        uint32_t port;
        Mac48Address address;
    };

    /// A message that waits for the line, or the rest of one.
    struct Entry
    {
        Ptr<Message> message;
        uint64_t packets; ///< still to be sent
        Mac48Address peer;
        bool begun; ///< it is the rest of a message
    };

    void PopFirst();
    bool IsBusy();
    Mac48Address GetPeer(const Message& message);
    void RefuseSharing(const Message& message);

    MessageEndpoint& m_endpoint;
    Ptr<OpticalNetDevice> m_device;
    uint32_t m_maxPayload;
    uint64_t m_packetsReceived{0};
    LineClock m_line;             ///< of the messages alone
    std::vector<Entry> m_entries; ///< from m_first on they wait
    std::size_t m_first{0};
    Cause m_busyCause;         ///< why the present busy period of the line began
    Entry m_last{};            ///< sent last
    Ptr<Train> m_lastTrain;    ///< what was sent of it
    ExactTime m_lastStart;     ///< when that started
    std::vector<Peer> m_peers; ///< so far; on a rail there are few
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAIN_PORT_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_REMOTE_MESSAGE_H
#define PHOTONIC_REMOTE_MESSAGE_H

#include "ns3/exact-time.h"
#include "ns3/header.h"
#include "ns3/light-path.h"

#include <cstdint>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-distributed
 * @brief What processes tell each other; a frame follows where the kind has one.
 */
class RemoteMessage : public Header
{
  public:
    /// What happened, mostly to a fibre.
    enum Kind : uint8_t
    {
        FRAME,           ///< a frame reaches the device
        LIGHT_UP,        ///< the device's light leads somewhere, at the end of a reconfiguration
        LIGHT_DOWN,      ///< it leads nowhere any more
        RECEIVER_LIT,    ///< light may reach the device
        RECEIVER_DARK,   ///< none does
        FINISH_PACKET,   ///< the device is asked to start no further packet
        PACKET_FINISHED, ///< the answer for the switch: when the last bit leaves the device
        LOST_AT_SWITCH,  ///< for the switch: a frame from this device was lost in it
        LOST_AT_SENDER,  ///< for the device: a frame that it sent was lost
        // no fibre
        PROCESS_FINISHED, ///< its ranks have
        STOP,             ///< the run ends
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    RemoteMessage() = default;

    /// @param k what happened @param f fibre that it happened to, by Channel::GetId()
    RemoteMessage(Kind k, uint32_t f)
        : kind(k),
          fibre(f)
    {
    }

    /// @param frame whose times, size and address are taken
    void SetFrame(const Frame& frame);
    /// @param packet of the frame @return the frame
    Frame GetFrame(Ptr<Packet> packet) const;

    // inherited from Header
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

    /// What it tells.
    Kind kind{FRAME};
    /// Number of the fibre that it is about.
    uint32_t fibre{0};
    uint32_t otherFibre{0};  ///< LIGHT_UP: where the light leads; FRAME: where it comes from
    uint64_t generation{0};  ///< of the circuit
    Time at;                 ///< when the switch turned, or the run ends
    ExactTime end;           ///< PACKET_FINISHED, and of a frame
    ExactTime start;         ///< of a frame
    uint64_t destination{0}; ///< of a frame
    uint64_t wireBytes{0};   ///< of a frame
    uint32_t sender{0};      ///< system identifier of the process
    uint64_t number{0};      ///< counts the messages of a process
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_REMOTE_MESSAGE_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_REMOTE_TAGS_H
#define PHOTONIC_REMOTE_TAGS_H

#include "cause.h"

#include "ns3/tag.h"

#include <cstdint>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief On the first packet of a connection to another process: who opens it.
 *
 * Within a process the sender tells the receiver by a call.
 */
class ConnectionTag : public Tag
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    ConnectionTag() = default;

    /// @param rank that sends @param communicator of its messages
    ConnectionTag(uint32_t rank, uint32_t communicator);

    /// @return of the sender
    uint32_t GetRank() const;
    /// @return number of the communicator
    uint32_t GetCommunicator() const;

    // inherited from Tag
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream& os) const override;

  private:
    uint32_t m_rank{0};
    uint32_t m_communicator{0};
};

/**
 * @ingroup photonic-rails-transport
 * @brief A Cause that goes to another process, on the packet that will be one.
 *
 * Of the reconfigurations on the chain the latest are named, the others only counted.
 */
class CauseTag : public Tag
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    CauseTag() = default;
    /// @param cause that led to the event
    explicit CauseTag(const Cause& cause);

    /// @return what led to the event
    const Cause& GetCause() const;

    // inherited from Tag
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream& os) const override;

  private:
    Cause m_cause;
};

/**
 * @ingroup photonic-rails-transport
 * @brief On an acknowledgement to another process: when the last bit of the message arrived.
 */
class ArrivalTag : public Tag
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    ArrivalTag() = default;
    /// @param time of the arrival
    explicit ArrivalTag(Time time);

    /// @return time of the arrival
    Time GetTime() const;

    // inherited from Tag
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream& os) const override;

  private:
    Time m_time;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_REMOTE_TAGS_H

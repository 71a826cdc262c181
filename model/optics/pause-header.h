/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PAUSE_HEADER_H
#define PHOTONIC_PAUSE_HEADER_H

#include "traffic-label.h"

#include "ns3/header.h"

#include <array>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @brief What a priority-based flow control frame says (IEEE 802.1Qbb; IEEE 802.3, annex 31D).
 *
 * Opcode, a bit for each priority that is meant, and a time for each priority, padded to the
 * shortest Ethernet payload.
 */
class PauseHeader : public Header
{
  public:
    static constexpr uint16_t PROTOCOL = 0x8808;               ///< MAC control
    static constexpr uint64_t DESTINATION = 0x0180c2000001;    ///< see ToInteger()
    static constexpr uint32_t SIZE = 46;                       ///< with padding
    static constexpr uint32_t LINE_BYTES = 14 + SIZE + 4 + 20; ///< with preamble and gap
    static constexpr uint16_t LONGEST = 0xffff;                ///< time, in quanta
    static constexpr uint32_t QUANTUM_BYTES = 512 / 8;         ///< that a line sends in a quantum

    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param priority which is meant @param quanta for which it is to be silent, 0: no longer
    void SetTime(uint8_t priority, uint16_t quanta);

    /// @return whether this is a frame of priority-based flow control
    bool IsPause() const;
    /// @param priority one of them @return whether it is meant
    bool IsMeant(uint8_t priority) const;
    /// @param priority which is meant @return quanta for which it is to be silent
    uint16_t GetTime(uint8_t priority) const;

    // inherited from Header
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    static constexpr uint16_t OPCODE = 0x0101;

    uint16_t m_opcode{OPCODE};
    uint16_t m_meant{0};
    std::array<uint16_t, PRIORITIES> m_times{};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PAUSE_HEADER_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPUS_REGISTRY_H
#define PHOTONIC_OPUS_REGISTRY_H

#include "group-circuits.h"
#include "opus-message.h"

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief Where a rank sits and where its NIC ports are plugged in.
 */
struct OpusCabling
{
    uint32_t domain;               ///< scale-up domain: server or rack
    uint32_t rail;                 ///< the rank's local rank
    std::array<uint32_t, 2> ports; ///< OCS ports of NIC ports 0 and 1
};

/**
 * @ingroup photonic-rails-opus
 * @brief What the controller knows about ranks, from the cabling, and groups, from registrations.
 */
class OpusRegistry
{
  public:
    /// A group, some or all of whose members have registered.
    struct Group
    {
        RankGroup members;             ///< ranks once missing is 0
        std::vector<uint32_t> joined;  ///< ranks by position, NO_RANK where none has registered
        uint32_t missing;              ///< members that have not registered
        bool scaleUp{false};           ///< all members in one domain; once missing is 0
        uint32_t rail{0};              ///< of a scale-out group; once missing is 0
        std::vector<Circuit> circuits; ///< of a scale-out group; once missing is 0
    };

    /// No position: not a member.
    static constexpr uint32_t NOT_A_MEMBER = 0xffffffff;
    /// No rank.
    static constexpr uint32_t NO_RANK = 0xffffffff;

    /// @param rank which @param cabling where it is
    void SetCabling(uint32_t rank, const OpusCabling& cabling);

    /// @param pairPorts of pipeline pairs, before any registration
    void SetPairPorts(PairPorts pairPorts);

    /// Forget all groups. The cabling stays.
    void Forget();

    /// @return cabling of all ranks
    const std::map<uint32_t, OpusCabling>& GetCabling() const;

    /**
     * @param message a registration
     * @return the group, now that the rank belongs to it
     * @throws std::invalid_argument that names rank and group if the rank is unknown, if the
     *         registration contradicts an earlier one, or, with the last one, if the group leaves
     *         its domain and spans rails
     */
    const Group& Register(const OpusMessage& message);

    /// @param id of a group @return the group if all members have registered, else null
    const Group* Find(uint32_t id) const;

    /// @param rank which @return identities of the groups that it has registered
    const std::vector<uint32_t>& GetGroups(uint32_t rank) const;

    /// @param group RankGroup::id @param rank which
    /// @return the rank's place in a complete group, or NOT_A_MEMBER
    uint32_t GetPosition(uint32_t group, uint32_t rank) const;

    /**
     * @param group with all members cabled (else std::invalid_argument)
     * @return its circuits
     */
    std::vector<Circuit> GetCircuits(const RankGroup& group) const;

    /**
     * @param group with all members cabled and on one rail (else std::invalid_argument)
     * @return the rail
     */
    uint32_t GetRail(const RankGroup& group) const;

  private:
    const OpusCabling& CablingOf(uint32_t rank) const;
    bool IsScaleUp(const RankGroup& group) const;

    std::map<uint32_t, OpusCabling> m_cabling;
    std::unordered_map<uint32_t, Group> m_groups;
    std::unordered_map<uint64_t, uint32_t> m_positions; ///< by group, upper half, and rank
    std::unordered_map<uint32_t, std::vector<uint32_t>> m_groupsOf; ///< by rank
    PairPorts m_pairPorts{PairPorts::ONE};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPUS_REGISTRY_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPUS_PHASE_TRACKER_H
#define PHOTONIC_OPUS_PHASE_TRACKER_H

#include "group-circuits.h"
#include "opus-message.h"
#include "phase-profile.h"

#include "ns3/parallel-plan.h"

#include <cstdint>
#include <set>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief Which operations of a rank need a request. Pure: no messages, no time.
 *
 * An operation opens a phase if it is the rank's first of a step, or if another group has used one
 * of its ports since its own group's last operation at this rank, in this step or an earlier one.
 * A group that has had no operation has always been overtaken. Without a profile, operations that
 * open a phase and all pipeline operations need a request. With one, an operation that it knows
 * needs a request if it opens a phase at any member; so does the first of a group's step that it
 * does not know, and those after that are judged as without a profile.
 *
 * Two things override the profile, at all members alike: a group's very first operation needs a
 * request, and so does an operation that a member has recalled.
 */
class OpusPhaseTracker
{
  public:
    /// Counters of operations, a bit each: every rank keeps such sets.
    class CounterSet
    {
      public:
        /// @param counter becomes a member
        void Insert(uint32_t counter)
        {
            if (counter >= m_bits.size())
            {
                m_bits.resize(counter + 1);
            }
            m_bits[counter] = true;
        }

        /// @param counter of an operation @return whether it is a member
        bool Contains(uint32_t counter) const
        {
            return counter < m_bits.size() && m_bits[counter];
        }

      private:
        std::vector<bool> m_bits;
    };

    /// A communicator of this rank.
    struct Group
    {
        /// RankGroup::id.
        uint32_t id;
        GroupSlot slot;            ///< as this rank sees it
        uint32_t position;         ///< of this rank
        uint8_t ports;             ///< NIC ports that it uses, as bits
        bool scaleUp{false};       ///< stays inside a domain, needs no circuits
        bool overtaken{true};      ///< another group used its ports since its last operation
        bool used{false};          ///< it has had an operation
        OpusKey last{0, 0, 0};     ///< its latest operation, if used
        uint32_t next{0};          ///< counter of its next operation in this step
        bool granted{false};       ///< grant may pass without asking (again)
        OpusKey grant{0, 0, 0};    ///< an operation
        uint32_t known{0};         ///< operations of a step that the profile knows
        CounterSet openings;       ///< those of them that open a phase at any member
        std::set<OpusKey> recalls; ///< the first operation from each of these on is requested
    };

    /// @param pairPorts of pipeline pairs, before any group is added
    void SetPairPorts(PairPorts pairPorts);

    /**
     * @param group that the rank is a member of
     * @param rank this one (else std::invalid_argument)
     * @return how the rank sees it
     */
    const Group& Add(const RankGroup& group, uint32_t rank);

    /// @param id of a group @return the group, or null
    Group* Find(uint32_t id);
    /// @param id of a group @return it, or null if the rank is not a member
    const Group* Find(uint32_t id) const;
    /// @param slot of this rank @return the group, or null
    const Group* Find(GroupSlot slot) const;

    /// @param step that begins
    void BeginStep(uint32_t step);

    /**
     * Judge by a profile from now on.
     * @param profile of this rank
     * @throws std::invalid_argument if it names a group that the rank does not have
     */
    void UseProfile(const PhaseProfile::Sequence& profile);

    /// @param group one @return whether its next operation in this step opens a phase at this rank
    bool Opens(const Group& group) const;

    /// @param group one @return whether its next operation in this step has to be requested
    bool NeedsRequest(const Group& group) const;

    /**
     * @param group whose circuits are about to be requested
     * @return next operations of other groups whose circuits may go with that, although other
     *         members may start them without asking
     */
    std::vector<OpusKey> FindBroken(const Group& group) const;

    /// @param group one @return names its next operation in this step
    OpusKey GetNext(const Group& group) const;

    /// @return of each group that needs circuits and has one: the latest operation that has passed,
    /// or was granted, and need not be requested again
    std::vector<OpusKey> FindHeld() const;

    /// A group's next operation starts. @param group one
    void Pass(Group& group);

    /// A request is fulfilled. @param key of the operation
    void Grant(const OpusKey& key);

    /**
     * A member takes circuits back.
     * @param key the operation that has to be requested anew
     * @return whether this rank has started it
     */
    bool Recall(const OpusKey& key);

  private:
    PairPorts m_pairPorts{PairPorts::ONE};
    std::vector<Group> m_groups;
    bool m_profiled{false};
    uint32_t m_step{0};
    bool m_first{true}; ///< nothing has passed in this step
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPUS_PHASE_TRACKER_H

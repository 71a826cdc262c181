/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_STEP_PROGRAM_H
#define PHOTONIC_STEP_PROGRAM_H

#include "ns3/all-to-all-bytes.h"
#include "ns3/collective-kind.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-workload Workload
 * @ingroup photonic-rails
 * @brief What the ranks of a training job compute and communicate, as data.
 */

/**
 * @ingroup photonic-rails-workload
 * @brief What traffic is counted as in reports.
 */
enum class Parallelism : uint8_t
{
    TP,
    CP, ///< keys and values of the other parts of a sequence
    EP, ///< tokens on the way to their experts and back
    FSDP,
    DP, ///< gradients of replicas
    PP,
    MP,    ///< activations and their gradients between the pieces of an operator graph
    OTHER, ///< small end-of-step collectives, whatever their group
};

constexpr std::size_t PARALLELISMS = 8;

/// @param parallelism a parallelism @return "tp", "cp", "ep", "fsdp", "dp", "pp", "mp" or "other"
const char* ToString(Parallelism parallelism);

/**
 * @ingroup photonic-rails-workload
 * @brief The communicators that a rank belongs to, as its program names them.
 *
 * A program is shared by all ranks of a stage; ParallelPlan turns (rank, slot) into a group.
 */
enum class GroupSlot : uint8_t
{
    TP,                ///< tensor parallel group
    CP,                ///< context parallel group: the parts of the same sequences
    EP,                ///< expert parallel group: all experts of a layer
    FSDP,              ///< the ranks that shard the stage's parameters, but those of experts
    EXPERT_FSDP,       ///< the ranks that shard the same experts, if these are others
    DP,                ///< ranks that hold the same shard in each replica of that
    EXPERT_DP,         ///< ranks that hold the same experts, if these are others
    PP,                ///< all stages of the replica, in order (end-of-step collectives)
    PP_NEXT,           ///< the pair with the next stage: position 0 is this rank, 1 the peer
    PP_PREVIOUS,       ///< the pair with the previous stage: position 0 is the peer, 1 this rank
    MP,                ///< all GPUs of an operator graph: sends and receives between any two
    CP_LOCAL,          ///< of a group that spans rails: its members on this node; the slot without
    EP_LOCAL,          ///< LOCAL is then those on this rail
    FSDP_LOCAL,        ///< likewise
    EXPERT_FSDP_LOCAL, ///< likewise
    DP_LOCAL,          ///< likewise
    EXPERT_DP_LOCAL,   ///< likewise
    EP_ROUND,          ///< EP in steps of two members: the second round of a cycle of matchings,
                       ///< see GetRoundSlot()
    NONE = EP_ROUND + 32, ///< a computation
};

/// Slots that carry traffic.
constexpr std::size_t GROUP_SLOTS = static_cast<std::size_t>(GroupSlot::NONE);

/// @return those
constexpr std::array<GroupSlot, GROUP_SLOTS>
MakeTrafficSlots()
{
    std::array<GroupSlot, GROUP_SLOTS> slots{};
    for (std::size_t i = 0; i < GROUP_SLOTS; ++i)
    {
        slots[i] = static_cast<GroupSlot>(i);
    }
    return slots;
}

/// Those.
constexpr std::array<GroupSlot, GROUP_SLOTS> TRAFFIC_SLOTS = MakeTrafficSlots();

/// Rounds of a cycle of matchings, at most: of as many as twice as many members, and one.
constexpr uint32_t MAX_ROUNDS = GROUP_SLOTS - static_cast<std::size_t>(GroupSlot::EP_ROUND) + 1;

/**
 * @param round from 1 to MAX_ROUNDS, in which an EP group exchanges with members so many places on
 * @return the slot: EP itself for the first one
 */
constexpr GroupSlot
GetRoundSlot(uint32_t round)
{
    return round == 1
               ? GroupSlot::EP
               : static_cast<GroupSlot>(static_cast<uint32_t>(GroupSlot::EP_ROUND) + round - 2);
}

/// @param slot a slot @return the round that it is for; 0: none but EP's own
constexpr uint32_t
GetRound(GroupSlot slot)
{
    return slot >= GroupSlot::EP_ROUND && slot < GroupSlot::NONE
               ? static_cast<uint32_t>(slot) - static_cast<uint32_t>(GroupSlot::EP_ROUND) + 2
               : 0;
}

/// @param slot of a group that may span rails @return that of its part on a node
GroupSlot GetLocalSlot(GroupSlot slot);

/// @param slot a slot @return the slot without LOCAL and round: that of the whole group
GroupSlot GetWholeSlot(GroupSlot slot);

/// @param slot of a group @return whose traffic it carries, but for small end-of-step collectives
Parallelism GetParallelism(GroupSlot slot);

/// @param slot a slot @return its name in dumps: "tp", "expert-fsdp", "pp-next", "cp-local",
/// "ep-round-2", "-", ...
const char* ToString(GroupSlot slot);

/**
 * @ingroup photonic-rails-workload
 * @brief One node of a StepProgram: a computation or a communication.
 */
struct Operation
{
    /// A predecessor, and how much of it has to be over.
    struct Dependency
    {
        /// How much of an operation.
        enum class Part : uint8_t
        {
            WHOLE,    ///< the operation is complete
            RECEIVED, ///< what the operation receives has arrived
        };

        uint32_t operation; ///< index in the program, smaller than the dependent's
        /// That has to be over.
        Part part;
    };

    GroupSlot slot{GroupSlot::NONE};                 ///< NONE: a computation
    Parallelism parallelism{Parallelism::OTHER};     ///< how its bytes are counted
    CollectiveKind kind{CollectiveKind::ALL_GATHER}; ///< unless a computation
    uint64_t bytes{0};        ///< total of a collective; bytes sent of a point-to-point operation
    uint64_t receiveBytes{0}; ///< bytes received of a point-to-point operation
    Ptr<const AllToAllBytes> shares; ///< of an uneven all-to-all; null: even shares
    uint32_t counter{0}; ///< number of this operation in its group within the step, from 0,
                         ///< or of an MP transfer between its two ranks, either way; the same
                         ///< at every member
    uint32_t peer{0};    ///< of an MP transfer: position of the other end in the group
    Time duration;       ///< of a computation
    std::vector<Dependency> after; ///< explicit predecessors, beside those of the stream
    std::string label;             ///< for people: "forward m0 layer 3"

    /// @return whether it is a computation, else a communication
    bool IsCompute() const
    {
        return slot == GroupSlot::NONE;
    }
};

/**
 * @ingroup photonic-rails-workload
 * @brief What one rank of a pipeline stage does in a training step, as data.
 *
 * Operations stand in program order. Each slot is a stream, as are all computations together: an
 * operation starts when its predecessor in its stream is complete and its dependencies are
 * fulfilled. MP is none: its transfers wait for their dependencies only. Immutable once built, and
 * shared by all ranks of a stage.
 */
class StepProgram : public SimpleRefCount<StepProgram>
{
  public:
    /// A dependent of an operation: which, and the part that it waits for.
    using Dependent = Operation::Dependency;

    /**
     * @param operations in program order; every dependency points backwards (else
     *        std::invalid_argument that names both operations)
     */
    explicit StepProgram(std::vector<Operation> operations);

    /// @return all operations in program order
    const std::vector<Operation>& GetOperations() const;

    /**
     * @param operation index of an operation
     * @return those that wait for it, stream successors included
     */
    const std::vector<Dependent>& GetDependents(uint32_t operation) const;

    /**
     * @param operation index of an operation
     * @return how many predecessors it waits for, the one in its stream included
     */
    uint32_t GetPredecessorCount(uint32_t operation) const;

    /**
     * Write one line per operation: index, slot, kind, bytes, duration, dependencies, label.
     * @param os where to
     */
    void Dump(std::ostream& os) const;

  private:
    std::vector<Operation> m_operations;
    std::vector<std::vector<Dependent>> m_dependents;
    std::vector<uint32_t> m_predecessors;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_STEP_PROGRAM_H

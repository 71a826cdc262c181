/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_STEP_PROGRAM_H
#define PHOTONIC_STEP_PROGRAM_H

#include "ns3/collective-kind.h"
#include "ns3/nstime.h"
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
    FSDP,
    DP, ///< gradients of replicas
    PP,
    MP,    ///< activations and their gradients between the pieces of an operator graph
    OTHER, ///< small end-of-step collectives, whatever their group
};

constexpr std::size_t PARALLELISMS = 6;

/// @param parallelism a parallelism @return "tp", "fsdp", "dp", "pp", "mp" or "other"
const char* ToString(Parallelism parallelism);

/**
 * @ingroup photonic-rails-workload
 * @brief The communicators that a rank belongs to, as its program names them.
 *
 * A program is shared by all ranks of a stage; ParallelPlan turns (rank, slot) into a group.
 */
enum class GroupSlot : uint8_t
{
    TP,          ///< tensor parallel group
    FSDP,        ///< sharded data parallel group of the stage
    DP,          ///< ranks that hold the same shard in each replica of that
    PP,          ///< all stages of the replica, in order (end-of-step collectives)
    PP_NEXT,     ///< the pair with the next stage: position 0 is this rank, 1 the peer
    PP_PREVIOUS, ///< the pair with the previous stage: position 0 is the peer, 1 this rank
    MP,          ///< all GPUs of an operator graph: sends and receives between any two
    NONE,        ///< a computation
};

constexpr std::size_t GROUP_SLOTS = 7; ///< slots that carry traffic

/// Those.
constexpr std::array<GroupSlot, GROUP_SLOTS> TRAFFIC_SLOTS = {GroupSlot::TP,
                                                              GroupSlot::FSDP,
                                                              GroupSlot::DP,
                                                              GroupSlot::PP,
                                                              GroupSlot::PP_NEXT,
                                                              GroupSlot::PP_PREVIOUS,
                                                              GroupSlot::MP};

/// @param slot a slot @return its name in dumps: "tp", "fsdp", "dp", "pp", "pp-next",
/// "pp-previous", "mp", "-"
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
        enum class Part : uint8_t
        {
            WHOLE,    ///< the operation is complete
            RECEIVED, ///< what the operation receives has arrived
        };

        uint32_t operation; ///< index in the program, smaller than the dependent's
        Part part;
    };

    GroupSlot slot{GroupSlot::NONE};                 ///< NONE: a computation
    Parallelism parallelism{Parallelism::OTHER};     ///< how its bytes are counted
    CollectiveKind kind{CollectiveKind::ALL_GATHER}; ///< unless a computation
    uint64_t bytes{0};        ///< total of a collective; bytes sent of a point-to-point operation
    uint64_t receiveBytes{0}; ///< bytes received of a point-to-point operation
    uint32_t counter{0};      ///< number of this operation in its group within the step, from 0,
                              ///< or of an MP transfer between its two ranks, either way; the same
                              ///< at every member
    uint32_t peer{0};         ///< of an MP transfer: position of the other end in the group
    Time duration;            ///< of a computation
    std::vector<Dependency> after; ///< explicit predecessors, beside those of the stream
    std::string label;             ///< for people: "forward m0 layer 3"

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

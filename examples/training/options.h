/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTIONS_H
#define PHOTONIC_OPTIONS_H

#include "ns3/algorithm-table.h"
#include "ns3/fault-schedule.h"
#include "ns3/nstime.h"
#include "ns3/ocs-technology.h"
#include "ns3/phase-trace.h"
#include "ns3/price-book.h"
#include "ns3/simai-workload.h"
#include "ns3/switch-topology.h"
#include "ns3/training-plan.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/// What breaks in a run, and how slowly things come up.
struct FaultOptions
{
    /// A rank whose computations take longer.
    struct Straggler
    {
        /// Number, or ALL.
        uint32_t rank;
        std::string factor; ///< a number or a distribution of one
    };

    static constexpr uint32_t ALL = 0xffffffff; ///< ranks

    std::string file;                              ///< of the schedule; empty: none
    std::shared_ptr<const FaultSchedule> schedule; ///< what it holds
    std::string bringUp;     ///< of a link after light came, a distribution; empty: none
    std::string turningTime; ///< of mirrors, a distribution; empty: that of the technology
    std::vector<Straggler> stragglers;
    double bitErrorRate{0}; ///< of light into every NIC port
};

/**
 * The command line of photonic-rails-training, checked and complete: what was not given has its
 * default, from the catalogues where it depends on the GPU or the switch.
 */
struct Options
{
    bool help{false}; ///< --help was given; nothing else counts then

    TrainingPlan plan;        ///< with the model, the GPU and what was overridden; checked
    uint32_t gpus{0};         ///< product of the degrees
    bool strictMemory{false}; ///< refuse a job that does not fit, instead of warning
    Time scaleUpLatency{NanoSeconds(500)}; ///< of a message between two GPUs of a node

    std::string fabric{"photonic"}; ///< "photonic", "electrical-ideal", "electrical-rail", ...
    uint32_t nicPorts{2};
    uint32_t mtu{4096};
    OcsTechnology ocs{OcsTechnology::Get("piezo")}; ///< with what was overridden

    uint32_t wavelengths{0};        ///< of a GPU on SiP-OCS and SiP-Ring; 0 on other fabrics
    std::string forwarding{"none"}; ///< on SiP-OCS: "none" or "hosts"
    uint32_t sipSwitches{0};        ///< parallel circuit switches of SiP-OCS; 0 on other fabrics
    uint32_t sipRings{0};           ///< parallel fibre rings of SiP-Ring; 0 on other fabrics
    uint32_t sipReach{16};          ///< segments of a lightpath on SiP-Ring, at most
    Time epoch;                     ///< for which circuits stay, if HasEpochs()

    bool acknowledgements{false};          ///< of messages between nodes
    std::string retransmission{"none"};    ///< "none", "go-back-n" or "selective-repeat"
    std::string congestionControl{"none"}; ///< "none", "dcqcn" or "swift"
    bool dedicatedLinks{false}; ///< each parallelism has links of its own (electrical-ideal)
    SwitchTiers switchTiers;    ///< of fabrics of packet switches with finite buffers
    std::string loadBalancing{"flow-hash"}; ///< "flow-hash", "round-robin" or "random"
    std::string placement{"rank"};          ///< "rank" or "rail"
    Time switchLatency{NanoSeconds(500)};   ///< of a packet, without waiting
    std::string fidelity{"packet"};         ///< "packet", "message" or "collective"

    bool drainAll{false};               ///< a change stops the whole switch
    std::string control{"provisioned"}; ///< "on-demand", "provisioned" or "one-shot"
    bool hostAhead{false};              ///< the control plane hears of operations ahead of the GPU
    std::string staticSplit{"ports"};   ///< "ports" or "dimensions"
    std::string firstRequest{"issue"};  ///< "issue" or "step": when, in a step
    std::string controller{"ns3::photonic::FcfsCircuitScheduler"}; ///< TypeId of its policy
    std::string controlPath{"packets"};       ///< "packets", "delay" or "instant"
    Time controlDelay{MicroSeconds(10)};      ///< one way, between a rank and the controller
    Time controlServiceTime{MicroSeconds(1)}; ///< that the controller takes for a message

    double controlLoss{0};        ///< probability that a control message is lost
    double controlDuplication{0}; ///< probability that one is sent twice
    Time controlJitter;           ///< by which one is late, at most
    Time controlRetry;            ///< after which one is sent again; 0: never
    Time portRetry;               ///< after which a broken port is tried again; 0: never
    Time lease;                   ///< after which ranks that others wait for are asked; 0: never

    std::string mpi{"off"};   ///< "off", or how processes keep step: "granted" or "null"
    std::string cut{"stage"}; ///< "stage" or "replica": what stays in one process

    std::string allToAll{"auto"};         ///< how expert parallel groups exchange on rails
    Ptr<const AlgorithmTable> algorithms; ///< of collectives; null: the defaults
    std::string algorithmsFile;           ///< where they are from; empty: nowhere

    FaultOptions faults; ///< what breaks

    uint32_t steps{1}; ///< measured ones
    uint32_t seed{1};
    std::string operators; ///< model whose operator graph is run; empty: none
    uint32_t mp{8};        ///< GPUs of a model-parallel group that share an operator graph
    std::string replay;    ///< file of the phase trace that is run; empty: steps are generated
    std::shared_ptr<const PhaseTrace> trace; ///< what it holds
    uint32_t replayStep{0};                  ///< step of it
    std::string imported; ///< what is run in place of generated steps; empty: nothing
    std::shared_ptr<const SimaiWorkload> simai; ///< what it holds, if it is a text
    std::string chakra;                         ///< prefix of its Chakra traces, if it is these
    bool importRing{false};   ///< its last and its first pipeline stage are neighbours, too
    std::string exportPrefix; ///< of Chakra traces that are written; empty: none
    std::string profile;      ///< file of the phase profile; empty: none
    std::string output;       ///< directory; empty: no files
    bool ports{false};        ///< a file on ports
    bool flows{false};        ///< a file on messages
    std::string timeline;     ///< Chrome trace that is written; empty: none
    bool dumpProgram{false};
    bool compare{false};
    PriceBook prices{PriceBook::Load("p2-400g")}; ///< of a comparison

    std::set<std::string> given; ///< names of the options on the command line

    /// @return whether steps are those of a trace
    bool IsReplay() const
    {
        return trace != nullptr;
    }

    /// @return whether steps are those of another program
    bool IsImport() const
    {
        return !imported.empty();
    }

    /// @return whether steps are those of an operator graph
    bool IsGraph() const
    {
        return !operators.empty();
    }

    /// @return degrees of the job: those given, or of an operator graph's GPUs
    ParallelPlan::Degrees GetDegrees() const;

    /// @return --allToAll, what the fabric makes of "auto"
    std::string GetAllToAll() const;

    /// @return FLOPs of a step of the whole job, without recomputation
    double GetModelFlopsPerStep() const;

    /// @return of a NIC port, in bit/s
    double GetPortRate() const
    {
        return double(plan.gpu.scaleOut.GetBitRate()) / nicPorts;
    }

    /// @return what the steps and marks of the DCQCN paper, which are for 40 Gbps, grow by
    double GetDcqcnScale() const
    {
        return GetPortRate() / 40e9;
    }

    static constexpr uint64_t WAVELENGTH_RATE = 25'000'000'000; ///< bit/s

    /// @return whether the fabric has packet switches that queue, mark and pause
    bool HasBuffers() const
    {
        return fabric == "electrical-rail" || fabric == "rail-only" || fabric == "fat-tree";
    }

    /// @return whether GPUs split wavelengths over their peers
    bool IsSip() const
    {
        return fabric == "sip-ocs" || fabric == "sip-ring";
    }

    /// @return whether circuits follow what waits
    bool HasEpochs() const
    {
        return fabric == "sip-ring" || (fabric == "sip-ocs" && given.count("epoch") > 0);
    }

    /// @return of the slowest line of a GPU, in bit/s
    double GetSlowestRate() const
    {
        return !IsSip() ? GetPortRate()
                        : double(WAVELENGTH_RATE) *
                              (fabric == "sip-ocs" ? wavelengths / sipSwitches : 1);
    }

    /// @return whether there are several equal paths
    bool HasTiers() const
    {
        return fabric == "electrical-rail" || fabric == "fat-tree";
    }

    /// @return whether packets may overtake each other
    bool Sprays() const
    {
        return HasTiers() && loadBalancing != "flow-hash";
    }

    /// @return whether connections do more than acknowledge
    bool RecoversOrControls() const
    {
        return retransmission != "none" || congestionControl != "none";
    }
};

/**
 * Read a command line. Set the resolution of Time before.
 * @param argc as in main()
 * @param argv as in main()
 * @return the options
 * @throws std::invalid_argument with one line that names the option, what was found and what was
 *         expected
 */
Options ParseOptions(int argc, const char* const argv[]);

/// @return what --help prints: every option with its values, default and meaning
std::string GetHelpText();

/**
 * @param options read from a command line
 * @return every option that can change a result, with its value as the command line takes it;
 *         files by their names only, so that it is the same wherever they are
 */
std::vector<std::pair<std::string, std::string>> GetConfiguration(const Options& options);

/// @return options that a comparison of fabrics chooses itself
const std::set<std::string>& GetComparedOptions();

/**
 * @param options read from a command line
 * @return a line for every reason why options that were given have no effect
 */
std::vector<std::string> GetUnusedOptionNotes(const Options& options);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTIONS_H

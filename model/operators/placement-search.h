/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PLACEMENT_SEARCH_H
#define PHOTONIC_PLACEMENT_SEARCH_H

#include "batch-scaling.h"
#include "operator-model.h"

#include "ns3/data-rate.h"
#include "ns3/gpu-catalogue.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-operators
 * @brief One way to train a model on a cluster, and how long that takes.
 */
struct PlacementCandidate
{
    uint64_t batch;        ///< global, samples
    uint32_t groups;       ///< data-parallel degree
    uint32_t gpusPerGroup; ///< model-parallel degree
    Time hybridStep;       ///< of one group and its neighbours, estimated by OperatorSchedule
    Time ring;             ///< all-reduce over the whole cluster
    double steps;          ///< to the target accuracy
    double seconds;        ///< to the target accuracy

    /// @return hybridStep + ring
    Time GetStep() const
    {
        return hybridStep + ring;
    }
};

/**
 * @ingroup photonic-rails-operators
 * @brief Which global batch and which degrees of parallelism reach the target accuracy first
 *        (SiP-ML, SIGCOMM 2021, parallelisation).
 *
 * For every batch, and every data-parallel degree that is a power of two and divides batch and
 * GPUs, the operators are placed on a model-parallel group (OperatorPlacement) and the step is
 * estimated (OperatorSchedule). Time to accuracy = steps of the batch x (step + ring).
 */
struct PlacementSearch
{
    /// What is trained.
    OperatorModel model;
    uint32_t tokens{0}; ///< of a sample; 0: the model's
    /// Of the cluster.
    uint32_t gpus{1024};
    std::vector<uint64_t> batches{};                 ///< empty: the study's
    DataRate bandwidth{DataRate(8'192'000'000'000)}; ///< of a GPU's NIC, per direction
    /// Of the cluster.
    GpuSpec gpu{FindGpu("a100")};
    /// Model FLOPs utilisation, above 0.
    double mfu{0.40};
    uint32_t degree{0};            ///< as in PlacementLimits
    uint32_t reach{0};             ///< as in PlacementLimits
    uint32_t bytesPerParameter{4}; ///< of gradients that go to the next group
    double ringBytes{0};           ///< of the ring; 0: what the study synchronises
    double criticalBatch{0};       ///< samples; 0: the model's

    /// @return steps as a function of the batch
    BatchScaling GetScaling() const;

    /// @return duration of the whole cluster's ring, 2 bytes per byte at the rate of a NIC
    Time GetRing() const;

    /**
     * @return all candidates, the fastest to the target accuracy first; of equal ones that with the
     *         smaller batch, then that with more groups
     * @throws std::invalid_argument if there is none, or an option does not fit
     */
    std::vector<PlacementCandidate> Run() const;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PLACEMENT_SEARCH_H

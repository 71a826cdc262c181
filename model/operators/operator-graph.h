/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPERATOR_GRAPH_H
#define PHOTONIC_OPERATOR_GRAPH_H

#include "ns3/compute-model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails-operators Operators
 * @ingroup photonic-rails
 * @brief Models as graphs of operators, split and placed on GPUs, as data.
 */

/**
 * @ingroup photonic-rails-operators
 * @brief One operator of a model, such as a convolution with the normalisation, the residual sum
 *        and the activation that follow it. All counts are for a whole batch.
 */
struct Operator
{
    /// For people.
    std::string name;
    /// Of the forward pass.
    Work forward;
    Work inputGradient;           ///< none if it reads only the samples
    Work weightGradient;          ///< none without weights
    uint64_t parameters{0};       ///< that it owns; one tied to another operator's is not counted
    uint64_t outputBytes{0};      ///< activations that it hands on
    std::vector<uint32_t> inputs; ///< operators that it reads from; empty: only the samples
};

/**
 * @ingroup photonic-rails-operators
 * @brief A model as a directed acyclic graph of operators, in topological order.
 */
class OperatorGraph
{
  public:
    /**
     * @param name of the model
     * @param batch samples that the work of the operators is for
     * @throws std::invalid_argument if batch is 0
     */
    OperatorGraph(std::string name, uint64_t batch);

    /**
     * @param added reads only from operators that are in the graph
     * @return its number; the first has 0
     * @throws std::invalid_argument if it reads from one that is not or hands nothing on, or twice
     * from the same
     */
    uint32_t Add(Operator added);

    /// @return name of the model
    const std::string& GetName() const;
    /// @return samples that the work of the operators is for
    uint64_t GetBatch() const;
    /// @return number of operators
    uint32_t GetSize() const;

    /// @param number of an operator @return the operator
    const Operator& Get(uint32_t number) const;
    /// @param number of an operator @return those that read from it, in order
    const std::vector<uint32_t>& GetReaders(uint32_t number) const;

    /// @return parameters of the model, tied ones once
    uint64_t GetParameters() const;
    /// @return work of the forward pass
    Work GetForward() const;
    /// @return work of the forward and the backward pass
    Work GetTotal() const;

  private:
    std::string m_name;
    uint64_t m_batch;
    std::vector<Operator> m_operators;
    std::vector<std::vector<uint32_t>> m_readers;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPERATOR_GRAPH_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "operator-graph.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3
{
namespace photonic
{

OperatorGraph::OperatorGraph(std::string name, uint64_t batch)
    : m_name(std::move(name)),
      m_batch(batch)
{
    if (batch == 0)
    {
        throw std::invalid_argument("a batch of " + m_name +
                                    " has to have at least 1 sample, found 0");
    }
}

uint32_t
OperatorGraph::Add(Operator added)
{
    const uint32_t number = m_operators.size();
    for (auto input = added.inputs.begin(); input != added.inputs.end(); ++input)
    {
        if (*input >= number)
        {
            throw std::invalid_argument("operator " + added.name + " reads from operator " +
                                        std::to_string(*input) + ", but only " +
                                        std::to_string(number) + " stand before it");
        }
        if (m_operators[*input].outputBytes == 0)
        {
            throw std::invalid_argument("operator " + added.name + " reads from " +
                                        m_operators[*input].name +
                                        ": expected it to hand on at least 1 byte, found 0");
        }
        if (std::find(added.inputs.begin(), input, *input) != input)
        {
            throw std::invalid_argument("operator " + added.name + " reads twice from " +
                                        m_operators[*input].name);
        }
    }
    for (uint32_t input : added.inputs)
    {
        m_readers[input].push_back(number);
    }
    m_operators.push_back(std::move(added));
    m_readers.emplace_back();
    return number;
}

const std::string&
OperatorGraph::GetName() const
{
    return m_name;
}

uint64_t
OperatorGraph::GetBatch() const
{
    return m_batch;
}

uint32_t
OperatorGraph::GetSize() const
{
    return m_operators.size();
}

const Operator&
OperatorGraph::Get(uint32_t number) const
{
    return m_operators.at(number);
}

const std::vector<uint32_t>&
OperatorGraph::GetReaders(uint32_t number) const
{
    return m_readers.at(number);
}

uint64_t
OperatorGraph::GetParameters() const
{
    uint64_t parameters = 0;
    for (const Operator& o : m_operators)
    {
        parameters += o.parameters;
    }
    return parameters;
}

Work
OperatorGraph::GetForward() const
{
    Work work;
    for (const Operator& o : m_operators)
    {
        work = work + o.forward;
    }
    return work;
}

Work
OperatorGraph::GetTotal() const
{
    Work work;
    for (const Operator& o : m_operators)
    {
        work = work + o.forward + o.inputGradient + o.weightGradient;
    }
    return work;
}

} // namespace photonic
} // namespace ns3

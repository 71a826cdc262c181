/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/chakra-export.h"
#include "ns3/chakra-file.h"
#include "ns3/chakra-import.h"

#include <sstream>
#include <vector>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// Takes an input apart: blocks, each behind its length in two bytes, the lower one first.
class Blocks
{
  public:
    Blocks(const uint8_t* data, std::size_t size)
        : m_data(data),
          m_left(size)
    {
    }

    std::string Next()
    {
        std::size_t length = m_left > 1 ? m_data[0] + 256 * m_data[1] : 0;
        Skip(2);
        length = std::min(length, m_left);
        const std::string block = ToText(m_data, length);
        Skip(length);
        return block;
    }

  private:
    void Skip(std::size_t bytes)
    {
        bytes = std::min(bytes, m_left);
        m_data += bytes;
        m_left -= bytes;
    }

    const uint8_t* m_data;
    std::size_t m_left;
};

using Programs = std::vector<Ptr<const StepProgram>>;

void
RequireSame(const Programs& a, const Programs& b)
{
    Require(a.size() == b.size(), "as many stages");
    for (std::size_t stage = 0; stage < a.size(); ++stage)
    {
        const auto& first = a[stage]->GetOperations();
        const auto& second = b[stage]->GetOperations();
        Require(first.size() == second.size(), "as many operations");
        for (std::size_t i = 0; i < first.size(); ++i)
        {
            const Operation& x = first[i];
            const Operation& y = second[i];
            Require(x.slot == y.slot && x.kind == y.kind && x.bytes == y.bytes &&
                        x.receiveBytes == y.receiveBytes && x.duration == y.duration &&
                        x.parallelism == y.parallelism && x.counter == y.counter,
                    "the same operation " + std::to_string(i));
            Require(a[stage]->GetPredecessorCount(i) == b[stage]->GetPredecessorCount(i),
                    "as many predecessors of operation " + std::to_string(i));
        }
    }
}

/// @return degrees of a job of two ranks: two stages, or two that share the one stage
ParallelPlan::Degrees
GetDegrees(bool twoStages)
{
    ParallelPlan::Degrees degrees;
    (twoStages ? degrees.pp : degrees.fsdp) = 2;
    degrees.gpusPerNode = 1;
    return degrees;
}

} // namespace

/// Input: whether there are two stages ("2") or not, then blocks: process groups, a trace or two.
int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    try
    {
        RequireChakra();
    }
    catch (const std::invalid_argument&)
    {
        return 0; // without protocol buffers there is nothing to be tested
    }
    if (size == 0)
    {
        return 0;
    }
    const bool twoStages = data[0] == '2';
    const ParallelPlan plan(GetDegrees(twoStages));
    Blocks blocks(data + 1, size - 1);
    const std::string groupsText = blocks.Next();
    const std::string texts[] = {blocks.Next(), blocks.Next()};
    ChakraGroups groups;
    Programs programs;
    try
    {
        if (!groupsText.empty())
        {
            std::istringstream is(groupsText);
            groups = ReadChakraGroups(is, GetChakraGroupsFile("job"));
        }
        programs = BuildChakraPrograms("job", plan, groups, [&](uint32_t rank) {
            std::istringstream is(texts[twoStages ? rank : 0]);
            return ReadChakraTrace(is, GetChakraFile("job", rank));
        });
    }
    catch (const std::invalid_argument& refusal)
    {
        // What does not fit together is told by naming both sides.
        CheckLine(refusal.what(), "job");
        return 0;
    }
    const ChakraExport written(programs, plan);
    RequireSame(programs,
                BuildChakraPrograms("written", plan, written.GetGroups(), [&](uint32_t rank) {
                    return written.GetTrace(rank);
                }));
    return 0;
}

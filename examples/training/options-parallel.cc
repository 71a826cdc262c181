/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "options-parallel.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

std::string
Options::GetAllToAll() const
{
    if (allToAll != "auto")
    {
        return allToAll;
    }
    const bool turns = fabric == "photonic" && control != "one-shot";
    // Imported steps have the operations that they have.
    return turns && !IsImport() ? "matchings" : fabric == "photonic" ? "ring" : "pairwise";
}

void
CheckAllToAll(const Options& options)
{
    if (options.IsImport() && options.allToAll == "matchings")
    {
        throw std::invalid_argument("--allToAll=matchings: expected another with --import");
    }
    const bool turns = options.fabric == "photonic" && options.control != "one-shot";
    if (options.plan.degrees.ep > 1 && options.allToAll == "matchings" && !turns)
    {
        throw std::invalid_argument("--allToAll=matchings: expected --fabric=photonic with a "
                                    "--control that changes circuits, found --fabric=" +
                                    options.fabric +
                                    (options.fabric == "photonic" ? " --control=one-shot" : ""));
    }
}

Ptr<const AlgorithmTable>
MakeAlgorithmTable(const Options& options, bool scaleOut)
{
    const std::string name = options.GetAllToAll();
    const bool exchanges = scaleOut && options.plan.degrees.ep > 1 && name != "matchings";
    if (!exchanges || name == "pairwise")
    {
        return options.algorithms; // that is the default
    }
    auto table =
        options.algorithms ? Create<AlgorithmTable>(*options.algorithms) : Create<AlgorithmTable>();
    AlgorithmTable::Rule rule;
    rule.kind = CollectiveKind::ALL_TO_ALL;
    rule.algorithm = AlgorithmTable::FindAlgorithm(name);
    table->Add(rule); // after those of the file, which are more particular
    return table;
}

} // namespace photonic
} // namespace ns3

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "options-imports.h"

#include "options-form.h"

#include "ns3/chakra-export.h"
#include "ns3/chakra-file.h"
#include "ns3/chakra-import.h"

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

namespace fs = std::filesystem;

void
ReadImport(Options& o, const std::string& text)
{
    const std::string what = "a SimAI workload, or PREFIX or the directory of PREFIX.0.et";
    std::error_code unreadable;
    if (text.empty() || !(fs::exists(text, unreadable) || !FindChakraPrefix(text).empty()))
    {
        throw std::invalid_argument(text.empty() ? "expected " + what
                                                 : "cannot be read: expected " + what);
    }
    o.imported = text;
    while (o.imported.size() > 1 && o.imported.back() == '/')
    {
        o.imported.pop_back(); // reports tell the last part
    }
    if (fs::exists(text, unreadable) && !fs::is_directory(text, unreadable))
    {
        if (fs::path(text).extension() == ".et")
        {
            throw std::invalid_argument("is the trace of one GPU: expected the PREFIX or the "
                                        "directory of all");
        }
        o.simai = std::make_shared<const SimaiWorkload>(ReadSimaiWorkload(text));
        return;
    }
    o.chakra = FindChakraPrefix(o.imported);
    if (o.chakra.empty())
    {
        throw std::invalid_argument("has no PREFIX.0.et: expected " + what);
    }
    RequireChakra();
}

} // namespace

Form
Import()
{
    return {"FILE|PREFIX|DIR", ReadImport, [](const Options& o) { return FileName(o.imported); }};
}

Form
Export()
{
    return {"PREFIX",
            [](Options& o, const std::string& text) {
                if (FileName(text).empty())
                {
                    throw std::invalid_argument("expected PREFIX");
                }
                RequireChakra();
                std::error_code unreadable; // a name that is too long, for example
                const auto directory = fs::absolute(text, unreadable).parent_path();
                if (!fs::is_directory(directory, unreadable))
                {
                    throw std::invalid_argument("there is no directory " + directory.string() +
                                                ", expected PREFIX in one that is there");
                }
                o.exportPrefix = text;
            },
            [](const Options& o) { return FileName(o.exportPrefix); }};
}

void
ReconcileImports(Options& o)
{
    if (!o.exportPrefix.empty() && o.compare)
    {
        throw std::invalid_argument("--export=" + o.exportPrefix + ": expected no --compare");
    }
    if (!o.IsImport())
    {
        return;
    }
    const auto expect = [&o](bool agrees, const std::string& expected) {
        if (!agrees)
        {
            throw std::invalid_argument("--import=" + o.imported + ": expected " + expected);
        }
    };
    expect(!o.IsReplay(), "no --replay");
    expect(!o.IsGraph(), "no --operators");
    expect(!o.strictMemory, "no --strictMemory, as it is not known what a rank keeps in memory");
    const ParallelPlan plan(o.plan.degrees);
    if (!o.chakra.empty() && plan.GetDegrees().pp > 2)
    {
        o.importRing = IsChakraRing(ReadChakraTrace(GetChakraFile(o.chakra, 0)), plan);
    }
}

} // namespace photonic
} // namespace ns3

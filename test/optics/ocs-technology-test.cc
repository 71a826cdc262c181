/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics-test-helper.h"

#include "ns3/ocs-technology.h"
#include "ns3/uinteger.h"

#include <set>

namespace ns3
{
namespace photonic
{

namespace
{

/// A row of arXiv 2507.08119's table of technologies. Liquid crystal is not in it: the radix is the
/// vendor's announcement, and its GPUs are calculated by hand as the others' are.
struct Row
{
    const char* name;
    uint32_t radix;
    Time delay;
    uint64_t racksOnePort; ///< max GPUs with 72-GPU domains, 1 port per GPU
    uint64_t racksTwoPorts;
    uint64_t serversOnePort; ///< with 8-GPU domains
    uint64_t serversTwoPorts;
};

std::vector<Row>
GetTable()
{
    return {
        {"robotic", 1008, Minutes(2), 72576, 36288, 8064, 4032},
        {"piezo", 576, MilliSeconds(25), 41472, 20736, 4608, 2304},
        {"mems", 320, MilliSeconds(15), 23040, 11520, 2560, 1280},
        {"liquid-crystal", 300, MilliSeconds(100), 21600, 10800, 2400, 1200},
        {"rotor", 128, MicroSeconds(10), 9216, 4608, 1024, 512},
        {"silicon-photonics", 32, MicroSeconds(7), 2304, 1152, 256, 128},
        {"plzt", 16, NanoSeconds(10), 1152, 576, 128, 64},
    };
}

} // namespace

TEST(OcsTechnology, AgreesWithThePublishedTable)
{
    EXPECT_EQ(OcsTechnology::GetCatalogue().size(), GetTable().size());
    for (const Row& row : GetTable())
    {
        SCOPED_TRACE(row.name);
        const OcsTechnology technology = OcsTechnology::Get(row.name);
        EXPECT_EQ(technology.name, row.name);
        EXPECT_EQ(technology.radix, row.radix);
        EXPECT_EQ(technology.reconfigurationDelay, row.delay);
        EXPECT_FALSE(technology.source.empty());
        EXPECT_EQ(technology.GetMaxGpus(72, 1), row.racksOnePort);
        EXPECT_EQ(technology.GetMaxGpus(72, 2), row.racksTwoPorts);
        EXPECT_EQ(technology.GetMaxGpus(8, 1), row.serversOnePort);
        EXPECT_EQ(technology.GetMaxGpus(8, 2), row.serversTwoPorts);
    }
}

TEST(OcsTechnology, IsOrderedFromSlowestToFastest)
{
    Time previous = Time::Max();
    std::set<std::string> names;
    for (const auto& technology : OcsTechnology::GetCatalogue())
    {
        EXPECT_LT(technology.reconfigurationDelay, previous) << technology.name;
        previous = technology.reconfigurationDelay;
        EXPECT_TRUE(names.insert(technology.name).second) << technology.name;
    }
}

TEST(OcsTechnology, AnUnknownNameIsRefusedWithTheKnownOnes)
{
    const auto refusal = GetRefusal<std::invalid_argument>([] { OcsTechnology::Get("telepathy"); });
    EXPECT_NE(refusal.find("telepathy"), std::string::npos) << refusal;
    for (const Row& row : GetTable())
    {
        EXPECT_NE(refusal.find(row.name), std::string::npos) << row.name << " in " << refusal;
    }
}

TEST(OcsTechnology, SetsUpASwitch)
{
    auto ocs = CreateObject<OpticalCircuitSwitch>();
    ocs->SetTechnology(OcsTechnology::Get("rotor"));
    EXPECT_EQ(ocs->GetRadix(), 128U);
    EXPECT_EQ(ocs->GetReconfigurationDelay(), MicroSeconds(10));
}

} // namespace photonic
} // namespace ns3

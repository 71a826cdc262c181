/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_WDM_TEST_HELPER_H
#define PHOTONIC_WDM_TEST_HELPER_H

#include "optics-test-helper.h"

#include "ns3/uinteger.h"
#include "ns3/wdm-fabric.h"

#include <map>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/// GPUs of 16 wavelengths on a WDM fabric.
class WdmTest : public OpticsTest
{
  protected:
    static constexpr uint64_t WAVELENGTH = 25'000'000'000;
    static constexpr uint32_t WAVELENGTHS = 16;

    void SetUp() override
    {
        fabric = CreateObject<WdmFabric>();
        fabric->SetAttribute("Wavelengths", UintegerValue(WAVELENGTHS));
    }

    void TearDown() override
    {
        fabric->Dispose();
        OpticsTest::TearDown();
    }

    void StartOver() override
    {
        fabric->Dispose();
        OpticsTest::StartOver();
        numbers.clear();
        outcomes.clear();
        SetUp();
    }

    /// Give two GPUs a device for each other.
    void AddPair(uint32_t a, uint32_t b)
    {
        for (const auto& [gpu, peer] : {std::make_pair(a, b), {b, a}})
        {
            const uint32_t number = AddDevice();
            auto fibre = CreateFibre(Time(0));
            devices[number]->Attach(fibre);
            fabric->Attach(gpu, peer, fibre);
            numbers[{gpu, peer}] = number;
        }
    }

    /// @return number of a GPU's device for another one
    uint32_t GetDevice(uint32_t gpu, uint32_t peer) const
    {
        return numbers.at({gpu, peer});
    }

    void Retune(const std::vector<WdmCircuit>& circuits)
    {
        fabric->Retune(circuits, [this](const auto& outcome) { outcomes.push_back(outcome); });
    }

    Ptr<WdmFabric> fabric;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers;
    std::vector<WdmFabric::Outcome> outcomes;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_WDM_TEST_HELPER_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SHARED_BUFFER_TEST_HELPER_H
#define PHOTONIC_SHARED_BUFFER_TEST_HELPER_H

#include "fabric-test-helper.h"

#include "ns3/boolean.h"
#include "ns3/shared-buffer-switch.h"
#include "ns3/uinteger.h"

#include <tuple>

namespace ns3
{
namespace photonic
{

/// Fabrics of switches with finite buffers; notes drops and pauses.
class SharedBufferTest : public FabricTest
{
  protected:
    static constexpr uint8_t LOSSLESS = 3;

    SharedBufferTest()
    {
        SetUpFactory();
    }

    void StartOver() override
    {
        FabricTest::StartOver();
        pauses.clear();
        SetUpFactory();
    }

    void SetUpFactory()
    {
        factory = ObjectFactory("ns3::photonic::SharedBufferSwitch");
        factory.Set("Latency", TimeValue(Time(0)));
    }

    /// Add switches, and note what pause frames they send.
    void AddSwitchesThatTell(uint32_t count)
    {
        for (uint32_t i = 0; i < count; i++)
        {
            const uint32_t number = switches.size();
            AddSwitches(1);
            switches[number]->TraceConnectWithoutContext(
                "PauseSent",
                Callback<void, uint32_t, uint8_t, uint16_t>(
                    [this, number](uint32_t port, uint8_t priority, uint16_t quanta) {
                        pauses.push_back({Simulator::Now(), number, port, priority, quanta});
                    }));
        }
    }

    SharedBufferSwitch& Get(uint32_t number) const
    {
        return dynamic_cast<SharedBufferSwitch&>(*switches[number]);
    }

    /// Send packets of so many line bytes.
    void SendMany(uint32_t from, uint32_t to, uint32_t count, uint32_t lineBytes, uint8_t priority)
    {
        for (uint32_t k = 0; k < count; k++)
        {
            SendUdp(from, to, lineBytes - 38, 0xc000, priority);
        }
    }

    uint64_t GetDropped(uint32_t number, const std::string& reason) const
    {
        const auto& drops = switches[number]->GetDrops();
        const auto entry = drops.find(reason);
        return entry == drops.end() ? 0 : entry->second;
    }

    /// Expect that nothing was dropped anywhere and nothing is left in any buffer.
    void ExpectLosslessAndEmpty()
    {
        for (uint32_t s = 0; s < switches.size(); s++)
        {
            EXPECT_TRUE(switches[s]->GetDrops().empty()) << "switch " << s;
            EXPECT_EQ(Get(s).GetBuffer()->GetTotalUsed(), 0U) << "switch " << s;
            EXPECT_FALSE(Get(s).IsPausing()) << "switch " << s;
        }
        for (const auto& device : devices)
        {
            EXPECT_TRUE(device->GetDrops().empty());
        }
    }

    struct Pause
    {
        Time at;
        uint32_t where; ///< switch
        uint32_t port;
        uint8_t priority;
        uint16_t quanta;
    };

    std::vector<Pause> pauses;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SHARED_BUFFER_TEST_HELPER_H

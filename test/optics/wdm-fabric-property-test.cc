/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wdm-test-helper.h"

#include <algorithm>
#include <memory>
#include <random>
#include <tuple>

namespace ns3
{
namespace photonic
{
namespace
{

using Pair = std::pair<uint32_t, uint32_t>;

/// A circuit as the trace tells it.
struct Life
{
    WdmCircuit circuit;
    Time up;
    Time down{Time::Max()};
};

/// Random traffic over random changes, judged from starts of packets and lives of circuits alone.
class WdmPropertyTest : public WdmTest
{
  protected:
    static constexpr uint32_t GPUS = 5;

    /// @return circuits that no GPU has too few wavelengths for
    std::vector<WdmCircuit> MakeCircuits(bool everyPair)
    {
        std::vector<Pair> pairs;
        for (const auto& entry : numbers)
        {
            pairs.push_back(entry.first);
        }
        std::shuffle(pairs.begin(), pairs.end(), random);
        std::map<uint32_t, uint32_t> sent;
        std::map<uint32_t, uint32_t> received;
        std::vector<WdmCircuit> circuits;
        for (const auto& [s, d] : pairs)
        {
            const uint32_t left = std::min(WAVELENGTHS - sent[s], WAVELENGTHS - received[d]);
            const uint32_t most = everyPair ? WAVELENGTHS / (GPUS - 1) : left;
            if (most == 0 || (!everyPair && random() % 3 == 0))
            {
                continue;
            }
            const uint32_t wavelengths = 1 + random() % most;
            sent[s] += wavelengths;
            received[d] += wavelengths;
            circuits.push_back({s, d, wavelengths, NanoSeconds(random() % 200)});
        }
        return circuits;
    }

    void ObserveCircuits()
    {
        fabric->TraceConnectWithoutContext(
            "Circuit",
            Callback<void, const WdmCircuit&, uint64_t, bool>(
                [this](const WdmCircuit& circuit, uint64_t generation, bool up) {
                    if (!up)
                    {
                        lives.at(generation).down = Simulator::Now();
                        return;
                    }
                    lives[generation] = {circuit, Simulator::Now()};
                    std::map<Pair, uint32_t> used;
                    for (const auto& [id, life] : lives)
                    {
                        if (life.down == Time::Max())
                        {
                            used[{0, life.circuit.source}] += life.circuit.wavelengths;
                            used[{1, life.circuit.destination}] += life.circuit.wavelengths;
                        }
                    }
                    for (const auto& [end, wavelengths] : used)
                    {
                        EXPECT_LE(wavelengths, WAVELENGTHS) << "GPU " << end.second;
                    }
                }));
    }

    /// Expect that each packet was sent and arrived in the life of one circuit, at its rate.
    void Judge(const Pair& pair, const ListSource& source)
    {
        const auto arrivals = ArrivalsAt(GetDevice(pair.second, pair.first));
        ASSERT_EQ(arrivals.size(), source.starts.size());
        for (std::size_t i = 0; i < arrivals.size(); i++)
        {
            const Time start = source.starts[i].ToTime();
            uint32_t carriers = 0;
            for (const auto& [generation, life] : lives)
            {
                const auto& c = life.circuit;
                if (c.source != pair.first || c.destination != pair.second || life.up > start ||
                    life.down < arrivals[i] || (i > 0 && arrivals[i] < arrivals[i - 1])) // in order
                {
                    continue;
                }
                const Time last =
                    (source.starts[i] + LineRate(DataRate(WAVELENGTH * c.wavelengths))
                                            .Serialise(source.frames[i] + LINE_OVERHEAD))
                        .ToTime();
                carriers += arrivals[i] == last + c.propagation;
            }
            EXPECT_EQ(carriers, 1U) << pair.first << "-" << pair.second << " packet " << i;
        }
    }

    std::mt19937 random{77};
    std::map<uint64_t, Life> lives; ///< by generation
};

TEST_F(WdmPropertyTest, NothingIsLostAndEveryPacketHasTheRateOfOneCircuit)
{
    std::cout << "seed 77\n";
    for (uint32_t round = 0; round < 60; round++)
    {
        SCOPED_TRACE("round " + std::to_string(round));
        StartOver();
        lives.clear();
        for (uint32_t a = 0; a < GPUS; a++)
        {
            for (uint32_t b = 0; b < a; b++)
            {
                AddPair(a, b);
            }
        }
        fabric->SetAttribute("Darkening", StringValue(round % 2 ? "changed" : "all"));
        fabric->SetAttribute("RetuningDelay",
                             TimeValue(round % 3 ? NanoSeconds(random() % 3000) : TimeStep(0)));
        ObserveCircuits();
        std::map<Pair, std::unique_ptr<ListSource>> sources;
        std::map<Pair, uint32_t> posted;
        for (const auto& [pair, number] : numbers)
        {
            sources[pair] = std::make_unique<ListSource>(devices[number]);
            for (uint32_t burst = 0; burst < 4; burst++)
            {
                const uint32_t count = 1 + random() % 10;
                const uint32_t payload = 50 + random() % 2000;
                posted[pair] += count;
                At(NanoSeconds(random() % 40000), [source = sources[pair].get(), count, payload] {
                    source->Post(payload, count);
                });
            }
        }
        for (uint32_t change = 0; change < 40; change++)
        {
            At(NanoSeconds(random() % 60000), [this, circuits = MakeCircuits(false)] {
                if (!fabric->IsRetuning())
                {
                    Retune(circuits);
                }
            });
        }
        At(MicroSeconds(100), [this] { Retune(MakeCircuits(true)); });
        Simulator::Run();
        for (const auto& [pair, source] : sources)
        {
            EXPECT_EQ(source->starts.size(), posted[pair]) << "bytes are conserved";
            Judge(pair, *source);
        }
        EXPECT_EQ(fabric->GetLostPackets(), 0U);
        EXPECT_GT(fabric->GetRetunes(), 5U);
    }
}

} // namespace
} // namespace photonic
} // namespace ns3

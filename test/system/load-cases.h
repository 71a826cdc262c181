/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_LOAD_CASES_H
#define PHOTONIC_LOAD_CASES_H

#include "benchmark/stopwatch.h"
#include "options.h"
#include "training-run.h"
#include "transport/test-rail.h"

#include "ns3/packet.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace ns3
{
namespace photonic
{

/// @return bytes that are allocated; with a sanitizer, which has an allocator of its own, 0
inline int64_t
GetAllocated()
{
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
    return 0;
#elif __GLIBC_PREREQ(2, 33)
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/// What is allocated, and how much processor time is gone, after each tenth of a run's operations.
class LoadMarks
{
  public:
    /// @param operations of the run, a multiple of 10
    explicit LoadMarks(uint64_t operations)
        : m_operations(operations),
          m_allocated{GetAllocated()},
          m_seconds{0}
    {
        m_allocated.reserve(TENTHS + 1);
        m_seconds.reserve(TENTHS + 1);
    }

    /// An operation is over.
    void Count()
    {
        if (++m_count % (m_operations / TENTHS) == 0)
        {
            m_allocated.push_back(GetAllocated());
            m_seconds.push_back(m_watch.GetProcessorSeconds());
        }
    }

    /// @return bytes that the second half has added
    int64_t GetGrowth() const
    {
        return m_allocated.at(TENTHS) - m_allocated.at(TENTHS / 2);
    }

    /// @return time of the last three tenths, over that of the second to the fourth
    double GetTimeRatio() const
    {
        return (m_seconds.at(TENTHS) - m_seconds.at(TENTHS - 3)) /
               (m_seconds.at(4) - m_seconds.at(1));
    }

    /// @return seconds of the run
    double GetSeconds() const
    {
        return m_seconds.at(TENTHS);
    }

  private:
    static constexpr std::size_t TENTHS = 10;

    Stopwatch m_watch;
    uint64_t m_operations;
    uint64_t m_count{0};
    std::vector<int64_t> m_allocated;
    std::vector<double> m_seconds;
};

/// Devices on one circuit switch, whose circuits change again and again while they send.
class RestlessSwitch
{
  public:
    static constexpr uint32_t DEVICES = 4;

    RestlessSwitch(uint32_t requests, const std::string& inFlight)
        : marks(requests),
          m_requests(requests)
    {
        m_nodes.Create(DEVICES);
        PhotonicRailHelper rail;
        rail.SetSwitchAttribute("Radix", UintegerValue(DEVICES));
        rail.SetSwitchAttribute("ReconfigurationDelay", TimeValue(MicroSeconds(1)));
        rail.SetSwitchAttribute("InFlightPolicy", StringValue(inFlight));
        rail.SetDeviceAttribute("DataRate", StringValue("400Gbps"));
        m_devices = rail.Install(m_nodes, 1);
        light = rail.GetSwitch();
        for (uint32_t i = 0; i < DEVICES; i++)
        {
            m_devices.Get(i)->SetReceiveCallback(
                [this](Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&) {
                    received++;
                    return true;
                });
        }
    }

    ~RestlessSwitch()
    {
        Simulator::Destroy();
    }

    void Run()
    {
        Simulator::Schedule(MicroSeconds(1), [this] { Ask(); });
        Simulator::Run();
    }

    uint32_t done{0};
    uint64_t changed{0}; ///< ports
    uint64_t sent{0};
    uint64_t received{0};
    Ptr<OpticalCircuitSwitch> light;
    LoadMarks marks;

  private:
    /// Ask for another matching of the devices, now and then for two, of which one has to wait.
    /// Send while it turns and once it has turned.
    void Ask()
    {
        const bool two = m_asked % 10 == 0 && m_asked + 1 < m_requests;
        Request();
        if (two)
        {
            Request();
            return;
        }
        // When the devices know that it is dark: it waits for light.
        Simulator::Schedule(NanoSeconds(200), [this] { Send(); });
    }

    void Request()
    {
        static const std::vector<Circuit> matchings[] = {{{0, 1}, {2, 3}},
                                                         {{0, 2}, {1, 3}},
                                                         {{0, 3}, {1, 2}}};
        light->Reconfigure(matchings[m_asked++ % 3], [this](const auto& outcome) {
            done++;
            marks.Count();
            changed += outcome.portsChanged;
            if (done < m_asked)
            {
                return; // the other one turns now
            }
            Send();
            if (m_asked < m_requests)
            {
                // Later than all has arrived: two packets of 1,000 bytes in 40 ns, 100 ns of fibre.
                Simulator::Schedule(NanoSeconds(200), [this] { Ask(); });
            }
        });
    }

    void Send()
    {
        for (uint32_t i = 0; i < DEVICES; i++)
        {
            m_devices.Get(i)->Send(Create<Packet>(962), m_devices.Get(i)->GetBroadcast(), 0x88b5);
            sent++;
        }
    }

    uint32_t m_requests;
    uint32_t m_asked{0};
    NodeContainer m_nodes;
    NetDeviceContainer m_devices;
};

/// Messages of ranks to their next ones in a ring, so many under way at a time.
class MessageStream
{
  public:
    MessageStream(TestRail& rail, uint64_t total, uint32_t window)
        : marks(total),
          m_rail(rail),
          m_total(total),
          m_next(rail.options.ranks)
    {
        for (uint32_t rank = 0; rank < rail.options.ranks; rank++)
        {
            for (uint32_t i = 0; i < window; i++)
            {
                Simulator::ScheduleNow([this, rank] { Next(rank); });
            }
        }
    }

    uint64_t received{0};
    uint64_t delivered{0};
    LoadMarks marks;

  private:
    void Next(uint32_t rank)
    {
        if (m_posted == m_total)
        {
            return;
        }
        m_posted++;
        const MessageKey key{5, m_next[rank]++, 0};
        const uint32_t to = (rank + 1) % m_rail.options.ranks;
        // Some are expected before they are sent, others when they have arrived.
        const bool early = key.sequence % 2 == 0;
        const auto receive = [this, rank, to, key] {
            m_rail.endpoints[to]->Receive(rank, key, BYTES, [this, rank](const Message&, Time) {
                received++;
                marks.Count();
                Simulator::ScheduleNow([this, rank] { Next(rank); });
            });
        };
        if (early)
        {
            receive();
        }
        m_rail.endpoints[rank]->Send(to, 0, 1, key, BYTES, Cause(), [this, early, receive](auto&) {
            delivered++;
            if (!early)
            {
                Simulator::ScheduleNow(receive);
            }
        });
    }

    static constexpr uint64_t BYTES = 10'000;

    TestRail& m_rail;
    uint64_t m_total;
    uint64_t m_posted{0};
    std::vector<uint32_t> m_next;
};

/// @param rate of computation @return options of a small job whose steps are long
inline std::vector<std::string>
GetDayOptions(const std::string& rate)
{
    return {"--tp=2",
            "--fsdp=2",
            "--pp=2",
            "--microbatches=2",
            "--sequenceLength=8192",
            "--gpu=h100",
            "--fidelity=collective",
            "--control=on-demand",
            rate};
}

/// A job of the training program, without files.
class LongJob
{
  public:
    explicit LongJob(std::vector<std::string> options)
        : m_options(std::move(options))
    {
        const auto name = "photonic-rails-load-" + std::to_string(getpid()) + ".json";
        m_model = std::filesystem::temp_directory_path() / name;
        std::ofstream(m_model) << R"({"hidden_size": 256, "intermediate_size": 512,
            "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 4,
            "vocab_size": 1000})";
    }

    ~LongJob()
    {
        std::remove(m_model.c_str());
    }

    /// @param steps of the job
    void Run(uint32_t steps)
    {
        const double step = Simulate(8, 0).TotalTime().GetSeconds() / 8;
        marks = LoadMarks(10);
        result = Simulate(steps, step);
    }

    bool finished{false};
    RunResult result;
    LoadMarks marks{10};

  private:
    RunResult Simulate(uint32_t steps, double step)
    {
        auto words = m_options;
        words.insert(words.begin(), "photonic-rails-training");
        words.push_back("--model=" + m_model);
        words.push_back("--steps=" + std::to_string(steps));
        std::vector<char*> argv;
        for (auto& word : words)
        {
            argv.push_back(word.data());
        }
        const Options options = ParseOptions(static_cast<int>(argv.size()), argv.data());
        RunProcesses processes;
        TrainingRun run(options, processes);
        for (int tenth = 1; step > 0 && tenth < 10; tenth++)
        {
            Simulator::Schedule(Seconds(step * steps * tenth / 10), [this] { marks.Count(); });
        }
        finished = run.Simulate(nullptr);
        marks.Count(); // with all that the run still has
        return run.GetResult();
    }

    std::vector<std::string> m_options;
    std::string m_model;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_LOAD_CASES_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "opus/control-explorer.h"
#include "opus/opus-mini-job.h"

#include "ns3/boolean.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <iostream>
#include <sstream>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// Does to each message what a case says.
class ScriptedFaults : public ControlFaults
{
  public:
    ScriptedFaults(const ControlCase& c, std::function<void(Time)> restart)
        : m_jitter(c.jitter),
          m_random(c.seed),
          m_restart(std::move(restart))
    {
        for (const auto& fault : c.faults)
        {
            m_faults.emplace(fault.message, fault);
        }
    }

    std::vector<Time> GetDelays(const OpusMessage& /* message */) override
    {
        const Time late = NanoSeconds(m_random() % (m_jitter.GetNanoSeconds() + 1));
        std::vector<Time> delays{late};
        const auto [first, last] = m_faults.equal_range(m_messages++);
        for (auto it = first; it != last; ++it)
        {
            const ControlFault& fault = it->second;
            switch (fault.kind)
            {
            case ControlFault::LOST:
                delays.clear();
                break;
            case ControlFault::TWICE:
                delays.push_back(late + fault.time);
                break;
            case ControlFault::LATE:
                for (auto& delay : delays)
                {
                    delay += fault.time;
                }
                break;
            case ControlFault::RESTART:
                m_restart(fault.time);
            }
        }
        return delays;
    }

  private:
    Time m_jitter;
    std::mt19937 m_random;
    std::function<void(Time)> m_restart;
    std::multimap<uint32_t, ControlFault> m_faults;
    uint32_t m_messages{0};
};

ParallelPlan
MakePlan(uint32_t seed)
{
    ParallelPlan::Degrees degrees;
    degrees.pp = 2 + seed % 3;
    degrees.fsdp = 1 + seed / 3 % 2;
    degrees.gpusPerNode = 1;
    return ParallelPlan(degrees);
}

} // namespace

std::string
ToString(const ControlCase& c)
{
    static const char* const names[] = {"is lost", "is sent twice", "is late", "a restart"};
    const auto degrees = MakePlan(c.seed).GetDegrees();
    std::ostringstream text;
    text << "seed " << c.seed << " (pp=" << degrees.pp << " fsdp=" << degrees.fsdp << "), length "
         << c.length << ", " << c.steps << " steps"
         << (c.provisioned ? ", provisioned" : ", on demand")
         << (c.changing ? ", changing programs" : "") << (c.reliable ? "" : ", no repetitions")
         << ", jitter " << c.jitter.As(Time::US);
    for (const auto& fault : c.faults)
    {
        text << "; message " << fault.message << ": " << names[fault.kind];
        if (fault.kind != ControlFault::LOST)
        {
            text << " " << fault.time.As(Time::US);
        }
    }
    return text.str();
}

ControlCase
MakeControlCase(uint32_t seed)
{
    std::mt19937 random(seed);
    const auto upTo = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    ControlCase c{seed, 4 + upTo(12), 3 + upTo(3), upTo(3) > 0, upTo(3) == 0, true, {}, {}};
    c.jitter = upTo(2) == 0 ? Time() : MicroSeconds(1 + upTo(200));
    const uint32_t rate = 2 + upTo(60);
    for (uint32_t message = 0; message < 1500; message++)
    {
        if (upTo(rate) > 0)
        {
            continue;
        }
        const uint32_t kind = upTo(40);
        const Time time = NanoSeconds(upTo(2000) * upTo(1000));
        c.faults.push_back({kind < 16   ? ControlFault::LOST
                            : kind < 27 ? ControlFault::TWICE
                            : kind < 39 ? ControlFault::LATE
                                        : ControlFault::RESTART,
                            message,
                            time});
    }
    return c;
}

std::string
RunControlCase(const ControlCase& c, ControlCounts* counts)
{
    testing::TestPartResultArray results;
    std::string failure;
    {
        testing::ScopedFakeTestPartResultReporter reporter(
            testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD,
            &results);
        const auto plan = MakePlan(c.seed);
        const OpusRandomPrograms profiled(plan, c.seed, c.length);
        const OpusRandomPrograms other(plan, c.seed + 1000, c.length);
        const auto programOf = [&](uint32_t step, uint32_t rank) -> const auto& {
            return (c.changing && step > 2 && step % 2 == 1 ? other : profiled).Get(rank);
        };
        OpusHelper opus;
        opus.SetControlPath("delay");
        opus.SetControlPathAttribute("RetransmissionTimeout",
                                     TimeValue(c.reliable ? MicroSeconds(150) : Time()));
        opus.SetShimAttribute("Provisioned", BooleanValue(c.provisioned));
        opus.SetShimAttribute("ProfilingSteps", UintegerValue(2));
        opus.SetControllerAttribute("Lease", TimeValue(c.reliable ? MilliSeconds(3) : Time()));
        opus.SetFailure([&](const std::string& reason) {
            failure = failure.empty() ? reason : failure;
            Simulator::Stop();
        });
        OpusMiniJob job(plan, opus, MicroSeconds(70), programOf, c.steps, !c.changing);
        bool down = false;
        const auto restart = [&opus, &down](Time time) {
            if (!down)
            {
                down = true;
                Simulator::ScheduleNow([&opus, &down, time] {
                    opus.GetController()->Stop();
                    Simulator::Schedule(time, [&opus, &down] {
                        down = false;
                        opus.GetController()->Start();
                    });
                });
            }
        };
        opus.GetControlPath()->SetAttribute("Faults",
                                            PointerValue(CreateObject<ScriptedFaults>(c, restart)));
        ControlCounts own;
        opus.GetControlPath()->TraceConnectWithoutContext(
            "Fault",
            MakeBoundCallback(
                +[](ControlCounts* c, const OpusMessage&, const std::string& what) {
                    c->faults[what]++;
                },
                counts ? counts : &own));
        opus.GetController()->TraceConnectWithoutContext(
            "State",
            MakeBoundCallback(
                +[](ControlCounts* c, const std::string& state) {
                    c->restarts += state == "synced";
                },
                counts ? counts : &own));
        Simulator::Stop(Seconds(30));
        job.Run();
        (counts ? counts : &own)->messages += opus.GetControlPath()->GetMessages();
        (counts ? counts : &own)->repetitions += opus.GetControlPath()->GetRepetitions();
        EXPECT_EQ(opus.GetControlPath()->GetUnacknowledged(), 0U);
        Simulator::Destroy();
    }
    for (int i = 0; i < results.size(); ++i)
    {
        failure +=
            (failure.empty() ? "" : "; ") + std::string(results.GetTestPartResult(i).message());
    }
    return failure;
}

ControlCase
Shrink(const ControlCase& c)
{
    ControlCase smallest = c;
    const auto attempt = [&](ControlCase smaller) {
        if (RunControlCase(smaller).empty())
        {
            return false;
        }
        smallest = std::move(smaller);
        return true;
    };
    for (bool again = true; again;)
    {
        again = false;
        ControlCase smaller = smallest;
        smaller.jitter = Time();
        again = (!smallest.jitter.IsZero() && attempt(smaller)) || again;
        // Leave out faults, in smaller and smaller pieces.
        for (std::size_t piece = std::max<std::size_t>(smallest.faults.size() / 2, 1); piece > 0;
             piece /= 2)
        {
            for (std::size_t at = 0; at < smallest.faults.size();)
            {
                smaller = smallest;
                const auto first = smaller.faults.begin() + at;
                smaller.faults.erase(first, first + std::min(piece, smaller.faults.size() - at));
                const bool fails = attempt(smaller);
                at += fails ? 0 : piece;
                again = fails || again;
            }
        }
        // Those that are left come earlier, so that less is needed.
        for (std::size_t i = 0; i < smallest.faults.size(); ++i)
        {
            const uint32_t message = smallest.faults[i].message;
            for (uint32_t earlier : {message / 2, message - 1})
            {
                smaller = smallest;
                smaller.faults[i].message = earlier;
                again = (earlier < smallest.faults[i].message && attempt(smaller)) || again;
            }
        }
        smaller = smallest;
        smaller.length--;
        again = (smaller.length > 0 && attempt(smaller)) || again;
        smaller = smallest;
        smaller.steps--;
        again = (smaller.steps > 0 && attempt(smaller)) || again;
    }
    return smallest;
}

TEST(ControlExplorer, EveryScheduleOfFaultsIsSurvived)
{
    const char* const wanted = std::getenv("PHOTONIC_EXPLORER_CASES");
    const uint32_t cases = wanted ? std::strtoul(wanted, nullptr, 10) : 3000;
    ControlCounts counts;
    for (uint32_t seed = 1; seed <= cases; ++seed)
    {
        const ControlCase c = MakeControlCase(seed);
        const std::string failure = RunControlCase(c, &counts);
        if (!failure.empty())
        {
            const ControlCase smallest = Shrink(c);
            FAIL() << "seed " << seed << ": " << failure << "\nsmallest: " << ToString(smallest)
                   << "\n"
                   << RunControlCase(smallest);
        }
    }
    std::cout << "seeds 1 to " << cases << ": " << counts.messages << " messages, "
              << counts.faults["lost"] << " losses, " << counts.faults["twice"] << " duplicates, "
              << counts.faults["late"] << " delays, " << counts.repetitions << " repetitions, "
              << counts.restarts << " restarts" << std::endl;
    for (const char* fault : {"lost", "twice", "late"})
    {
        EXPECT_GT(counts.faults[fault], cases);
    }
    EXPECT_GT(counts.restarts, cases / 2);
}

TEST(ControlExplorer, FindsWhatItIsLookingForAndMakesItSmall)
{
    // Without repetitions a single loss is fatal, and a restart is refused.
    uint32_t found = 0;
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        ControlCase c = MakeControlCase(seed);
        c.reliable = false;
        c.faults.erase(std::remove_if(c.faults.begin(),
                                      c.faults.end(),
                                      [](const ControlFault& fault) {
                                          return fault.kind != ControlFault::LOST;
                                      }),
                       c.faults.end());
        if (RunControlCase(c).empty())
        {
            continue; // all losses come after the end
        }
        found++;
        const ControlCase smallest = Shrink(c);
        EXPECT_EQ(smallest.faults.size(), 1U) << ToString(smallest);
        EXPECT_EQ(smallest.steps, 1U) << ToString(smallest);
        EXPECT_NE(RunControlCase(smallest).find(" was lost"), std::string::npos);
    }
    EXPECT_GT(found, 10U);
}

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/phase-trace.h"

#include <sstream>
#include <tuple>

using namespace ns3;
using namespace ns3::photonic;

int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    PhaseTrace trace;
    const bool accepted = Accepts("t.csv:", [&] {
        std::istringstream is(ToText(data, size));
        trace = ReadPhaseTrace(is, "t.csv");
    });
    if (!accepted)
    {
        return 0;
    }
    const auto key = [](const Phase& p) { return std::tie(p.rail, p.stage, p.step, p.number); };
    for (std::size_t i = 0; i < trace.phases.size(); ++i)
    {
        const Phase& phase = trace.phases[i];
        Require(i == 0 || !(key(phase) < key(trace.phases[i - 1])), "phases are ordered");
        Require(!phase.start.IsStrictlyNegative() && phase.end >= phase.start,
                "a phase ends after it starts");
        Require(trace.hasBytes || phase.bytes == 0, "no bytes without a column of them");
    }
    Require(trace.reversed <= trace.phases.size(), "at most all rows run backwards");
    for (const Window& window : FindWindows(trace.phases, true))
    {
        Require(window.duration.IsStrictlyPositive(), "windows are longer than nothing");
    }
    return 0;
}

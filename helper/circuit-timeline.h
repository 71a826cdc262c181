/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CIRCUIT_TIMELINE_H
#define PHOTONIC_CIRCUIT_TIMELINE_H

#include "chrome-trace.h"
#include "timeline-range.h"

#include "ns3/optical-circuit-switch.h"
#include "ns3/wdm-fabric.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief Ports of a circuit switch in a trace: a row each, with its circuits and its dark times.
 */
class CircuitTimeline : public SimpleRefCount<CircuitTimeline>
{
  public:
    /// A port's dark time, as a place where an arrow can end.
    struct Turn
    {
        /// Row of the port.
        ChromeTrace::Lane lane;
        /// When it went dark.
        Time start;
    };

    /**
     * @param trace that is written to @param range of time
     * @param name of the switch @param order its place among groups of rows
     * @param ports name of each port; others have none
     */
    CircuitTimeline(std::shared_ptr<ChromeTrace> trace,
                    std::shared_ptr<const TimelineRange> range,
                    const std::string& name,
                    uint32_t order,
                    std::map<uint32_t, std::string> ports);

    /// @param ocs the switch, with the circuits that it starts with
    void Observe(Ptr<OpticalCircuitSwitch> ocs);

    /// Keep dark times until TakeTurns().
    void KeepTurns();

    /// @param request number at the switch @return its ports' dark times, told once
    std::vector<Turn> TakeTurns(uint64_t request);

    /// Write circuits that are up still.
    void Close();

  private:
    /// What goes on at a port.
    struct Port
    {
        std::string name;
        ChromeTrace::Lane lane;
        uint32_t output{OpticalCircuitSwitch::NO_PORT};
        Time lit;
        Time dark;
    };

    void ChangeCircuit(uint32_t in, uint32_t out, uint64_t generation, bool up);
    void Turned(uint32_t port, uint64_t request, bool dark);
    void WriteCircuit(uint32_t in, Time end);
    Port& GetPort(uint32_t port);
    const ChromeTrace::Lane& GetLane(uint32_t port);

    std::shared_ptr<ChromeTrace> m_trace;
    std::shared_ptr<const TimelineRange> m_range;
    std::string m_name;
    uint32_t m_order;
    uint32_t m_process{0};
    std::map<uint32_t, Port> m_ports;
    bool m_keepTurns{false};
    std::map<uint64_t, std::vector<Turn>> m_turns; ///< by request
};

/**
 * @ingroup photonic-rails-helper
 * @brief Circuits of wavelengths in a trace: rows for each GPU that sends.
 */
class WavelengthTimeline : public SimpleRefCount<WavelengthTimeline>
{
  public:
    /**
     * @param trace that is written to @param range of time
     * @param order place among groups of rows
     */
    WavelengthTimeline(std::shared_ptr<ChromeTrace> trace,
                       std::shared_ptr<const TimelineRange> range,
                       uint32_t order);

    /// @param fabric with the circuits that it starts with @param gpus how many it joins
    void Observe(Ptr<WdmFabric> fabric, uint32_t gpus);

    /// Write circuits that are up still.
    void Close();

  private:
    using Pair = std::pair<uint32_t, uint32_t>; ///< source and destination

    /// A circuit that is up.
    struct Lit
    {
        uint32_t wavelengths;
        Time since;
    };

    void ChangeCircuit(const WdmCircuit& circuit, uint64_t generation, bool up);
    void Write(const Pair& pair, const Lit& lit, Time end);

    std::shared_ptr<ChromeTrace> m_trace;
    std::shared_ptr<const TimelineRange> m_range;
    uint32_t m_process;
    std::map<uint32_t, ChromeTrack> m_tracks; ///< by source
    std::map<Pair, Lit> m_lit;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CIRCUIT_TIMELINE_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FAULT_SCHEDULE_H
#define PHOTONIC_FAULT_SCHEDULE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-faults
 * @brief Something that breaks at an instant, or is repaired.
 */
struct Fault
{
    /// What happens.
    enum Kind
    {
        OCS_PORT_DEAD,    ///< no light passes a port of a circuit switch
        OCS_PORT_STUCK,   ///< its mirror does not move
        OCS_PORT_REPAIR,  ///< either is over
        OCS_OUTAGE,       ///< a circuit switch has no power
        OCS_BACK,         ///< that is over
        FIBRE_CUT,        ///< the fibre of a NIC port
        FIBRE_SPLICE,     ///< that is over
        FIBRE_BER,        ///< light that comes out of it has a bit error rate
        NIC_LOST,         ///< nothing gets through a NIC port
        NIC_BACK,         ///< that is over
        RANK_FAIL,        ///< a rank is gone
        RANK_SLOW,        ///< a rank computes slower by a factor
        CONTROLLER_STOP,  ///< the controller of the circuits stops, and forgets
        CONTROLLER_START, ///< it starts again
    };

    Time at;           ///< when
    Kind kind;         ///< what
    uint32_t unit{0};  ///< number of the circuit switch, or rank
    uint32_t port{0};  ///< of the circuit switch or of the rank's NIC, if it is about one
    double value{0};   ///< bit error rate, or factor
    std::string where; ///< "FILE:LINE", for messages
};

/// @param kind of a fault @return its name, "ocs-dead", say
const char* ToString(Fault::Kind kind);

/**
 * @ingroup photonic-rails-faults
 * @brief Something that breaks again and again, at each thing of a kind for itself.
 */
struct RandomFault
{
    Fault::Kind kind;    ///< what breaks
    Time between;        ///< mean of the exponential time from a repair to the next fault
    Time repair;         ///< mean of the exponential time to the repair; 0: it stays
    std::string where{}; ///< "FILE:LINE", for messages
};

/**
 * @ingroup photonic-rails-faults
 * @brief What breaks and when, as a text of one fault a line.
 *
 * - `TIME ocs NUMBER port NUMBER dead|stuck|repair`
 * - `TIME ocs NUMBER outage|back`
 * - `TIME fibre RANK/PORT cut|splice`, `TIME fibre RANK/PORT ber RATE`
 * - `TIME nic RANK/PORT lost|back`
 * - `TIME rank RANK fail`, `TIME rank RANK slow FACTOR`
 * - `TIME controller stop|start`
 * - `random KIND every TIME [for TIME]` with KIND ocs-dead, ocs-stuck, ocs-outage, fibre-cut,
 *   nic-lost or rank-fail; all but the last need a mean time to repair
 *
 * A `#` begins a comment. Lines may be in any order. The number of a circuit switch is that of its
 * rail. RATE is at least 10^-12 or 0, written as 1e-9.
 */
class FaultSchedule
{
  public:
    static constexpr std::size_t MAX_LINES = 100'000; ///< of a schedule
    static constexpr std::size_t MAX_LINE = 200;      ///< characters of a line

    /**
     * @param file to be read
     * @return its schedule
     * @throws std::invalid_argument with one line: file, line, what was found, what was expected
     */
    static FaultSchedule Read(const std::string& file);

    /**
     * @param is the text @param name of it, for messages
     * @return its schedule
     * @throws std::invalid_argument as Read()
     */
    static FaultSchedule Parse(std::istream& is, const std::string& name);

    /// @param fault one more
    void Add(const Fault& fault);
    /// @param fault one more, above 0 between (else std::invalid_argument)
    void Add(const RandomFault& fault);

    /// @return those at instants, in the order in which they were added
    const std::vector<Fault>& GetFaults() const;
    /// @return the others
    const std::vector<RandomFault>& GetRandomFaults() const;
    /// @return the name of the first one that is not about ranks; empty if there is none
    std::string FindNetworkFault() const;
    /// @return the name of the first one about fibres or NIC ports; empty if there is none
    std::string FindFibreFault() const;
    /// @return whether the controller stops
    bool StopsController() const;
    /// @return whether there is one with a bit error rate
    bool HasBitErrors() const;

  private:
    template <typename Matches>
    std::string Find(Matches matches) const;

    std::vector<Fault> m_faults;
    std::vector<RandomFault> m_random;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FAULT_SCHEDULE_H

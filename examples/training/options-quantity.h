/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTIONS_QUANTITY_H
#define PHOTONIC_OPTIONS_QUANTITY_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * A kind of quantity on the command line: its units and the values that make sense. ns-3's own
 * parsers end the program on bad text, take numbers without units and round; these do neither.
 */
struct Quantity
{
    /// A unit, in the integers that quantities are kept in.
    struct Unit
    {
        std::string name;
        uint64_t factor;
    };

    std::string placeholder; ///< in help: "TIME"
    std::string example;     ///< in messages: "15ms"
    std::vector<Unit> units; ///< Format() takes the first that fits without a fraction
    uint64_t min;            ///< smallest value
    uint64_t max;            ///< largest value

    /**
     * @param text a decimal number followed by a unit, without a space; 0 needs none
     * @return its exact value
     * @throws std::invalid_argument that says what is wrong and what was expected
     */
    uint64_t Parse(const std::string& text) const;

    /// @param value a value @return its text, which Parse() reads back
    std::string Format(uint64_t value) const;

    static const Quantity& Duration();   ///< in picoseconds
    static const Quantity& BitRate();    ///< in bit/s, written in bits or bytes
    static const Quantity& ByteRate();   ///< the same, bytes preferred
    static const Quantity& MemoryRate(); ///< in byte/s
    static const Quantity& Memory();     ///< in bytes
    static const Quantity& Volume();     ///< in bytes, of data; may be 0
    static const Quantity& Compute();    ///< in FLOP/s
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTIONS_QUANTITY_H

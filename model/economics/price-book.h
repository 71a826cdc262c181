/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PRICE_BOOK_H
#define PHOTONIC_PRICE_BOOK_H

#include "fabric-inventory.h"

#include "ns3/input-text.h"

#include <istream>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-economics
 * @brief What something draws and costs.
 */
struct Price
{
    /// Power that it draws, in W.
    double watts{0};
    /// Cost, in US dollars.
    double dollars{0};
};

/**
 * @ingroup photonic-rails-economics
 * @brief What the parts of a fabric draw and cost, at the rate of a GPU's NIC.
 *
 * A file has a line for each part: its name, for how many ports or pieces the numbers are, watts
 * and dollars, separated by commas. Parts are nic-transceiver, switch-transceiver,
 * packet-switch, circuit-switch, fibre and nic; what is not named costs nothing. A first line
 * "part,per,watts,dollars" and lines that begin with # are passed over.
 */
struct PriceBook
{
    /// What a file may have at most: 1 MiB, 64 KiB in a line, 10,000 lines.
    static constexpr LineReader::Limits LIMITS{1 << 20, 1 << 16, 10'000};
    static constexpr double MAX_NUMBER = 1e12; ///< in a file

    /// By which it is asked for.
    std::string name;
    std::string rate;        ///< of the ports that it is of, for people; empty if it does not say
    Price nicTransceiver;    ///< of a GPU
    Price switchTransceiver; ///< of a port of a packet switch
    /// Without its transceiver.
    Price packetSwitchPort;
    /// Of an optical circuit switch.
    Price circuitSwitchPort;
    /// Duplex.
    Price fibre;
    /// Without its transceiver.
    Price nic;

    /**
     * @param book name of a book of the papers, or path of a file
     * @return the book
     * @throws std::invalid_argument naming file, line, column, what was found and what was
     *         expected
     */
    static PriceBook Load(const std::string& book);

    /**
     * @param is text of a file
     * @param name of the file, for errors
     * @return the book; errors as above
     */
    static PriceBook Read(std::istream& is, const std::string& name);

    /**
     * The books of the papers: p1-400g is arXiv 2507.08119, p2-400g and p2-800g are arXiv
     * 2602.12521. Fibres and NICs are excluded there.
     * @return their names
     */
    static std::vector<std::string> GetNames();
};

/**
 * @ingroup photonic-rails-economics
 * Where a GPU has several ports, each has a part of the NIC's rate: switch ports, transceivers and
 * fibres of packet switches are counted in whole ones. Ports of a circuit switch are counted as
 * they are, as light takes one whatever its rate.
 * @param inventory parts of a fabric; one without ports costs nothing
 * @param book of prices
 * @return of all of them
 */
Price GetTotal(const FabricInventory& inventory, const PriceBook& book);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PRICE_BOOK_H

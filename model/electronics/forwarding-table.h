/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FORWARDING_TABLE_H
#define PHOTONIC_FORWARDING_TABLE_H

#include "ns3/mac48-address.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-electronics
 * @param host number of a host port in a fabric
 * @return the locally administered link address that says so: 02:00 and the number
 */
Mac48Address MakeHostAddress(uint32_t host);

/**
 * @ingroup photonic-rails-electronics
 * @brief Where a packet switch sends what: by ranges of host numbers, or address by address.
 *
 * Fabrics number their host ports so that those behind a switch are consecutive, and give them
 * addresses that contain the number: a switch then needs a few ranges, each with the ports that
 * lead there, however many hosts there are. Devices with other addresses are entered one by one.
 */
class ForwardingTable
{
  public:
    /// Ports that are as good as one another; none if there is no way.
    struct Ports
    {
        /// The first of them, null if there are none.
        const uint32_t* first{nullptr};
        /// How many.
        uint32_t size{0};
    };

    /// @param address of a device, see ToInteger() @param port where it is
    void AddAddress(uint64_t address, uint32_t port);

    /**
     * @param first host of a range @param last host of it
     * @param ports that lead there, at least one
     * @throws std::invalid_argument if the range is empty, has a host that another range has, or
     *         there is no port
     */
    void AddHosts(uint32_t first, uint32_t last, std::vector<uint32_t> ports);

    /// @param address a link address, see ToInteger() @return ports that lead there
    Ports Find(uint64_t address) const
    {
        if (address >> 32 == HOST_PREFIX)
        {
            return FindHost(address & 0xffffffff);
        }
        const auto entry = m_addresses.find(address);
        return entry == m_addresses.end() ? Ports() : Ports{&entry->second, 1};
    }

    /// @return entries, for those who count them
    std::size_t GetSize() const;

    /// Forget all routes.
    void Clear();

    /// In ToInteger(): the address contains the number of a host.
    static constexpr uint64_t HOST_PREFIX = 0x0200;

  private:
    struct Range
    {
        uint32_t first;
        uint32_t last;
        std::vector<uint32_t> ports;
    };

    Ports FindHost(uint32_t host) const;

    std::vector<Range> m_ranges; ///< in order
    std::unordered_map<uint64_t, uint32_t> m_addresses;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FORWARDING_TABLE_H

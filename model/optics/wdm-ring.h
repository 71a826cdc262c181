/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_WDM_RING_H
#define PHOTONIC_WDM_RING_H

#include "wdm-fabric.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @brief Parallel fibre rings that pass all GPUs in cyclic order, lit in both directions.
 *
 * A lightpath occupies its wavelength on all segments of one fibre from its source to its
 * destination; on other segments the wavelength is free for others. Nothing converts wavelengths.
 * Segment i lies between GPUs i and i + 1.
 */
class WdmRing
{
  public:
    /// A way round the ring.
    enum class Direction
    {
        CLOCKWISE, ///< to the next higher number
        COUNTERCLOCKWISE,
    };

    /// A wavelength from one GPU to another.
    struct Lightpath
    {
        /// Number, from 0.
        uint32_t ring;
        /// Way round it.
        Direction direction;
        /// Number on the ring, from 0.
        uint32_t wavelength;
        /// GPU that sends.
        uint32_t source;
        /// GPU that receives.
        uint32_t destination;
    };

    /// What a ring is like.
    struct Size
    {
        uint32_t gpus;                      ///< at least 2
        uint32_t rings;                     ///< fibres in each direction, at least 1
        uint32_t wavelengths;               ///< W' of a fibre, at least 1
        uint32_t reach{16};                 ///< segments of a lightpath at most, at least 1
        Time segmentDelay{NanoSeconds(10)}; ///< of a segment: 2 m
    };

    /// @param size of the ring @throws std::invalid_argument if a number is too small
    explicit WdmRing(const Size& size);

    /// @return what it is like
    const Size& GetSize() const;

    /// @param direction which @param source GPU @param destination GPU
    /// @return segments from source to destination
    uint32_t GetSegments(Direction direction, uint32_t source, uint32_t destination) const;

    /**
     * @param lightpaths all that are to be lit
     * @return empty if they can be, else why not: no such GPU, ring or wavelength, an arc beyond
     *         the reach, or two that overlap
     */
    std::string Validate(const std::vector<Lightpath>& lightpaths) const;

    /**
     * @param lightpaths all that are to be lit
     * @return a circuit of all lightpaths of a pair. Its propagation is that of the longest one:
     *         the receiver, which puts packets together from all wavelengths, waits for it
     * @throws std::invalid_argument with the reason of Validate()
     */
    std::vector<WdmCircuit> Bundle(const std::vector<Lightpath>& lightpaths) const;

  private:
    std::string ValidateOne(const Lightpath& path) const;

    Size m_size;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_WDM_RING_H

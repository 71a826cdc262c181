/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "options-sip.h"

#include "options-quantity.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

namespace
{

/// Wavelengths of all rings in one direction, see SipRing::Check().
constexpr uint32_t MOST_ON_RINGS = 1 << 16;

/// @return where the number of wavelengths comes from, and what it is
std::string
DescribeWavelengths(const Options& o)
{
    const std::string count = std::to_string(o.wavelengths);
    return o.given.count("wavelengths") > 0
               ? "--wavelengths=" + count
               : "--scaleOutBandwidth=" +
                     Quantity::BitRate().Format(o.plan.gpu.scaleOut.GetBitRate()) + ", " + count +
                     " wavelengths";
}

void
ReconcileSwitches(Options& o)
{
    constexpr uint32_t few = 5; // switches: with fewer, a GPU has too few peers to be of use
    if (o.sipSwitches == 0)
    {
        // As many as in the paper, or the most that share the wavelengths evenly.
        for (o.sipSwitches = 20; o.wavelengths % o.sipSwitches != 0; o.sipSwitches--)
        {
        }
        if (o.sipSwitches < std::min(o.wavelengths, few))
        {
            throw std::invalid_argument(DescribeWavelengths(o) +
                                        ": expected a number that 5 to 20 switches share evenly, "
                                        "or --sipSwitches");
        }
    }
    if (o.wavelengths % o.sipSwitches != 0)
    {
        throw std::invalid_argument("--sipSwitches=" + std::to_string(o.sipSwitches) +
                                    ": expected a divisor of the " + std::to_string(o.wavelengths) +
                                    " wavelengths of a GPU");
    }
}

void
ReconcileRings(Options& o)
{
    const uint32_t half = o.wavelengths / 2; // one for each direction
    if (o.wavelengths % 2 != 0)
    {
        throw std::invalid_argument(DescribeWavelengths(o) +
                                    ": expected an even number with --fabric=sip-ring, half of "
                                    "them for each direction");
    }
    if (half > MOST_ON_RINGS)
    {
        throw std::invalid_argument("--wavelengths=" + std::to_string(o.wavelengths) +
                                    ": expected at most " + std::to_string(2 * MOST_ON_RINGS) +
                                    " with --fabric=sip-ring");
    }
    if (o.sipRings == 0)
    {
        for (o.sipRings = 5; half % o.sipRings != 0; o.sipRings--) // 5 as in the paper
        {
        }
    }
    if (half % o.sipRings != 0)
    {
        throw std::invalid_argument("--sipRings=" + std::to_string(o.sipRings) +
                                    ": expected a divisor of the " + std::to_string(half) +
                                    " wavelengths of a GPU in each direction");
    }
}

} // namespace

void
ReconcileSip(Options& o)
{
    const std::string fabric = "--fabric=" + o.fabric;
    if (o.wavelengths == 0)
    {
        o.wavelengths = o.plan.gpu.scaleOut.GetBitRate() / Options::WAVELENGTH_RATE;
    }
    if (o.wavelengths == 0)
    {
        throw std::invalid_argument(
            "--scaleOutBandwidth=" + Quantity::BitRate().Format(o.plan.gpu.scaleOut.GetBitRate()) +
            ": expected at least 25Gbps, a wavelength, with " + fabric);
    }
    if (o.given.count("wavelengths") == 0 &&
        o.plan.gpu.scaleOut.GetBitRate() % Options::WAVELENGTH_RATE != 0)
    {
        throw std::invalid_argument(
            "--scaleOutBandwidth=" + Quantity::BitRate().Format(o.plan.gpu.scaleOut.GetBitRate()) +
            ": expected a multiple of 25Gbps, a wavelength, with " + fabric + ", or --wavelengths");
    }
    o.fabric == "sip-ring" ? ReconcileRings(o) : ReconcileSwitches(o);
    if (o.acknowledgements)
    {
        throw std::invalid_argument("--acknowledgements=on: expected off with " + fabric +
                                    ", whose circuits have no way back");
    }
    if (o.fabric == "sip-ocs" && o.forwarding == "hosts" && o.fidelity != "packet")
    {
        throw std::invalid_argument("--fidelity=" + o.fidelity +
                                    ": expected packet with --forwarding=hosts, as messages of "
                                    "several GPUs share a circuit");
    }
    if (o.fabric == "sip-ocs" && o.forwarding == "hosts" && o.HasEpochs())
    {
        throw std::invalid_argument("--forwarding=hosts: expected no --epoch, as routes stay for "
                                    "the job");
    }
    if (o.HasEpochs() && o.fidelity == "collective")
    {
        throw std::invalid_argument("--fidelity=collective: expected packet or message with " +
                                    fabric + (o.fabric == "sip-ocs" ? " and --epoch" : "") +
                                    ", whose circuits change their rates");
    }
    if (o.HasEpochs() && o.ports)
    {
        throw std::invalid_argument("--ports: expected none with " + fabric +
                                    (o.fabric == "sip-ocs" ? " and --epoch" : "") +
                                    ", as the rates of its ports change");
    }
    if (o.fabric == "sip-ring" && o.given.count("epoch") == 0)
    {
        o.epoch = MicroSeconds(100);
    }
    if (o.given.count("reconfigurationDelay") == 0) // of micro-rings, and of circuit switches
    {
        o.ocs.reconfigurationDelay = o.fabric == "sip-ring" ? MicroSeconds(25) : MilliSeconds(30);
    }
}

} // namespace photonic
} // namespace ns3

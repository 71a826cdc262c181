/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "packet-source.h"

#include <stdexcept>

namespace ns3
{
namespace photonic
{

void
PacketSource::ReceiveLazy(const Frame&)
{
    throw std::logic_error("a source that makes its packets at once got one that is not made");
}

void
PacketSource::LightCame(Time)
{
}

void
PacketSource::TakeBack(uint64_t)
{
    throw std::logic_error("a source that sends packets one by one has no train to take back");
}

void
PacketSource::ReceiveTrain(const Frame&, const ExactTime&)
{
    throw std::logic_error("a train of packets arrived at a port that receives single packets: "
                           "all ports of a fabric have one fidelity");
}

} // namespace photonic
} // namespace ns3

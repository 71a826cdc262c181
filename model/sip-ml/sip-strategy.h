/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SIP_STRATEGY_H
#define PHOTONIC_SIP_STRATEGY_H

#include "sip-ocs-allocation.h"
#include "sip-ring-allocation.h"
#include "traffic-matrix.h"

#include "ns3/simple-ref-count.h"
#include "ns3/wdm-fabric.h"
#include "ns3/wdm-ring.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-sip-ml
 * @brief Which circuits a demand gets.
 */
class SipStrategy : public SimpleRefCount<SipStrategy>
{
  public:
    virtual ~SipStrategy() = default;

    /**
     * @param demand bytes
     * @return circuits for it; none without demand
     * @throws std::invalid_argument if a pair cannot be served
     */
    virtual std::vector<WdmCircuit> Allocate(const TrafficMatrix& demand) const = 0;

    /// @return as few wavelengths as a circuit may have, and the longest way (GPUs do not matter)
    virtual WdmCircuit GetSlowest() const = 0;
};

/**
 * @ingroup photonic-rails-sip-ml
 * @brief SiP-Ring: SipRingAllocation::Allocate(), with the GPUs in any order on the ring.
 */
class SipRingStrategy : public SipStrategy
{
  public:
    /**
     * @param ring fibres
     * @param order the GPU at each place of the ring; empty: by number
     * @throws std::invalid_argument unless the order has every GPU once
     */
    explicit SipRingStrategy(const WdmRing& ring, std::vector<uint32_t> order = {});

    /// Of SipRingAllocation::Allocate(): a hundredth of what it may take, as there are thousands of
    /// epochs. The smallest share is 0.5 % lower with it.
    static constexpr uint32_t MOVES = 500;

    // inherited from SipStrategy
    std::vector<WdmCircuit> Allocate(const TrafficMatrix& demand) const override;
    WdmCircuit GetSlowest() const override;

  private:
    WdmRing m_ring;
    std::vector<uint32_t> m_order;  ///< GPU by place
    std::vector<uint32_t> m_places; ///< by GPU
};

/**
 * @ingroup photonic-rails-sip-ml
 * @brief SiP-OCS: parallel circuits are one, of all their wavelengths.
 */
class SipOcsStrategy : public SipStrategy
{
  public:
    /// When circuits are chosen.
    enum class Mode
    {
        ONE_SHOT, ///< for the whole job: SipOcsAllocation::MaximiseWorst()
        PERIODIC, ///< again and again: SipOcsAllocation::MaximiseTotal()
    };

    /**
     * @param mode when circuits are chosen
     * @param switches number K of them, at least 1
     * @param wavelengths of a GPU's port on one of them, at least 1
     * @throws std::invalid_argument if a number is 0
     */
    SipOcsStrategy(Mode mode, uint32_t switches, uint32_t wavelengths);

    /**
     * Periodic: no pair has more circuits than a limit, the largest one, from K down, with which
     * every pair has one; where none is, because a GPU has more peers than ports, it is 1, which
     * serves the most of them.
     * @param demand bytes @return circuits
     */
    std::vector<WdmCircuit> Allocate(const TrafficMatrix& demand) const override;
    WdmCircuit GetSlowest() const override;

  private:
    SipOcsAllocation AllocatePeriodic(const TrafficMatrix& demand) const;

    Mode m_mode;
    uint32_t m_switches;
    uint32_t m_wavelengths;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SIP_STRATEGY_H

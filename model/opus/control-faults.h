/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CONTROL_FAULTS_H
#define PHOTONIC_CONTROL_FAULTS_H

#include "opus-message.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief What happens to control messages before they are on their way.
 */
class ControlFaults : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param message that is sent
     * @return by how much each copy of it is late: none, it is lost; one of 0, all is well
     */
    virtual std::vector<Time> GetDelays(const OpusMessage& message) = 0;
};

/**
 * @ingroup photonic-rails-opus
 * @brief Messages are lost, sent twice and delayed at random, each by itself.
 */
class RandomControlFaults : public ControlFaults
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RandomControlFaults();

    std::vector<Time> GetDelays(const OpusMessage& message) override;

    /// @param stream of the first random variable @return how many there are
    int64_t AssignStreams(int64_t stream);

  private:
    double m_loss;
    double m_duplication;
    Ptr<RandomVariableStream> m_delay; ///< seconds; null: none
    Ptr<UniformRandomVariable> m_chance;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CONTROL_FAULTS_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FAULT_HELPER_H
#define PHOTONIC_FAULT_HELPER_H

#include "opus-helper.h"
#include "training-fabric-helper.h"

#include "ns3/fault-injector.h"
#include "ns3/training-job.h"

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief Installs a schedule of faults on a fabric and a job.
 *
 * The injector is aggregated to nothing; its events keep it.
 */
class FaultHelper
{
  public:
    FaultHelper();

    /// @param schedule what happens; nothing if not set
    void SetSchedule(const FaultSchedule& schedule);

    /// @param name of an attribute of FaultInjector @param value of it
    void SetInjectorAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param fabric whose circuit switches, fibres and NIC ports break
     * @param job whose ranks do, or null
     * @param opus installed on the fabric, whose controller stops and starts, and hears no more of
     *        ranks that have failed; or null
     * @return what makes them
     * @throws std::invalid_argument if a fault is about what there is not: a fabric of wavelengths
     *         has no fibres that can be cut
     */
    Ptr<FaultInjector> Install(const TrainingFabric& fabric,
                               Ptr<TrainingJob> job,
                               const OpusHelper* opus = nullptr) const;

    /**
     * Light that comes out of every fibre into a NIC port has a bit error rate.
     * @param fabric whose NIC ports get an error model
     * @param rate from 0 to 1
     */
    static void SetBitErrorRate(const TrainingFabric& fabric, double rate);

    /**
     * Fix random variables of a fabric: turning times of circuit switches, bring-up times and error
     * models of NIC ports; and those of a job: slowdowns.
     * @param fabric that was installed @param job on it, or null @param stream of the first
     * @return how many there are
     */
    static int64_t AssignStreams(const TrainingFabric& fabric,
                                 Ptr<TrainingJob> job,
                                 int64_t stream);

  private:
    FaultSchedule m_schedule;
    ObjectFactory m_injector;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FAULT_HELPER_H

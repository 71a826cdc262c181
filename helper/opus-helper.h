/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPUS_HELPER_H
#define PHOTONIC_OPUS_HELPER_H

#include "training-fabric-helper.h"

#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-shim.h"
#include "ns3/phase-profile.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief Installs Opus: a controller, a control path and a shim per rank.
 *
 * Attributes first, then Install(), then LoadProfile() or OpusController::Preset() if wanted, then
 * the shims serve as the gates of a job. Nothing here is random. The controller is aggregated to
 * its node in the front-end network or, where there is none, to that of the first rail's switch; a
 * shim is the attribute Gate of its RankApplication.
 */
class OpusHelper
{
  public:
    /// A rank and where it is.
    struct Rank
    {
        /// Its rank.
        uint32_t rank;
        Ptr<Node> node; ///< may be null unless the control path is "packets"
        /// Where it is plugged in.
        OpusCabling cabling;
    };

    OpusHelper();

    /**
     * @param name "packets" (default), "delay" or "instant"
     * @throws std::invalid_argument that lists them
     */
    void SetControlPath(const std::string& name);

    /**
     * Attributes that only other paths have are ignored (an instant one has no delay).
     * @param name of an attribute that some path has (else std::invalid_argument)
     * @param value of it
     */
    void SetControlPathAttribute(const std::string& name, const AttributeValue& value);
    /// @param name of an attribute of OpusController @param value of it
    void SetControllerAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param type the controller's policy, see CircuitScheduler::ParseFactory()
     */
    void SetCircuitScheduler(const std::string& type);
    /// @param name of an attribute of OpusShim @param value of it
    void SetShimAttribute(const std::string& name, const AttributeValue& value);

    /// @param failure gets a sentence when the run cannot go on; by default the program aborts
    void SetFailure(OpusControlPath::Failure failure);

    /**
     * @param plan who is where
     * @param fabric photonic, with the two NIC ports that all parallelisms share
     */
    void Install(const ParallelPlan& plan, const TrainingFabric& fabric);

    /**
     * The controller is in the process of the switches, which it turns without a message.
     * @param ranks all ranks of the job
     * @param rails circuit switch of each rail, with the fibres attached
     * @throws std::invalid_argument if processes share the job and the switches are in several, or
     *         the control path is not "packets"
     */
    void Install(const std::vector<Rank>& ranks,
                 const std::map<uint32_t, Ptr<OpticalCircuitSwitch>>& rails);

    /// @return the controller of all rails
    Ptr<OpusController> GetController() const;
    /// @return between shims and controller
    Ptr<OpusControlPath> GetControlPath() const;
    /// @param rank which @return its gate
    Ptr<OpusShim> GetShim(uint32_t rank) const;

    /// @param profile of all installed ranks (else std::invalid_argument)
    void LoadProfile(const PhaseProfile& profile);

    /// @return whether all shims have a profile
    bool HasProfile() const;

    /// @param fingerprint of the job @return what the shims have learned
    PhaseProfile CollectProfile(const std::string& fingerprint) const;

    /**
     * Capture the control messages, at every device of the front-end network.
     * @param prefix of the files' names
     * @throws std::logic_error unless the control path is "packets", and installed
     */
    void EnablePcap(const std::string& prefix) const;
    /// The same, as text. @param prefix of the files' names
    void EnableAscii(const std::string& prefix) const;

    /// @return which requests are pending, in one line; empty if none is, as after a finished run
    std::string DescribePending() const;

  private:
    Ptr<Node> GetHome(const std::map<uint32_t, Ptr<OpticalCircuitSwitch>>& rails) const;
    NetDeviceContainer GetFrontEnd() const;
    uint32_t GetSystem(const std::map<uint32_t, Ptr<OpticalCircuitSwitch>>& rails) const;

    ObjectFactory m_path;
    ObjectFactory m_controller;
    ObjectFactory m_scheduler; ///< without a type: the controller's default
    ObjectFactory m_shim;
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_pathAttributes;
    OpusControlPath::Failure m_failure;
    Ptr<OpusControlPath> m_installedPath;
    Ptr<OpusController> m_installedController;
    std::map<uint32_t, Ptr<OpusShim>> m_shims;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPUS_HELPER_H

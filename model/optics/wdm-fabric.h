/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_WDM_FABRIC_H
#define PHOTONIC_WDM_FABRIC_H

#include "optical-channel.h"
#include "optical-net-device.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-optics
 * @brief Wavelengths that one GPU sends to another: one line, whose rate is that of all of them.
 */
struct WdmCircuit
{
    /// GPU that sends.
    uint32_t source;
    /// GPU that receives.
    uint32_t destination;
    uint32_t wavelengths; ///< at least 1
    Time propagation{};   ///< between the two GPUs' fibres

    /// @param o another circuit @return whether ends and wavelengths are the same
    bool operator==(const WdmCircuit& o) const
    {
        return source == o.source && destination == o.destination && wavelengths == o.wavelengths &&
               propagation == o.propagation;
    }
};

/**
 * @ingroup photonic-rails-optics
 * @brief GPUs whose NICs split wavelengths over circuits to their peers.
 *
 * A GPU has a device for each peer, with a fibre into the fabric. Circuits lead one way: what a
 * device sends goes to the peer's device for this GPU, if there is a circuit from the one to the
 * other, and what comes in is what that one sends. A circuit of k wavelengths is one line of k
 * times WavelengthRate: packets are striped over its wavelengths.
 *
 * Retune() validates circuits whole and then applies them: the transmitters of circuits that go
 * dark start no further packet; when the last bit of what they were sending has arrived, these
 * circuits are dark for RetuningDelay; then light comes up at the new rates. Transmitters know when
 * to stop and to start without a message, as epochs are agreed on. Nothing is lost, a packet has
 * one rate from its first bit to its last, and light of a circuit that is gone reaches nobody.
 */
class WdmFabric : public Object
{
  public:
    /// Which circuits a change makes dark.
    enum Darkening
    {
        ALL,     ///< all of them, before and after
        CHANGED, ///< those that are not the same before and after; the others keep carrying
    };

    /// What a change came to.
    struct Outcome
    {
        Time requested; ///< Retune() was called
        Time started;   ///< circuits went dark; equals done if none did
        Time done;      ///< there is light
        uint32_t dark;  ///< transmitters that had no light in between
        uint64_t id;    ///< number of the change, from 1; 0 if nothing went dark
    };

    /// Called when the circuits that were asked for carry light.
    using Done = std::function<void(const Outcome&)>;

    /// @return the TypeId
    static TypeId GetTypeId();

    WdmFabric();
    ~WdmFabric() override;

    /**
     * Join a fibre for what a GPU sends to a peer, and hears from it.
     * @param gpu number of it
     * @param peer another one
     * @param fibre with an OpticalNetDevice at its other end
     * @throws std::invalid_argument if the two are the same or are joined already, or if there is
     *         something else at the other end
     */
    void Attach(uint32_t gpu, uint32_t peer, Ptr<OpticalChannel> fibre);

    /**
     * @param circuits all that are wanted
     * @return empty if Retune() would accept them, else why not: GPUs without a device for each
     *         other, a pair named twice, no wavelengths, or more than a GPU has
     */
    std::string Validate(const std::vector<WdmCircuit>& circuits) const;

    /**
     * Put circuits in place before the simulation starts: no dark time, no events, no traces.
     * @param circuits all that are wanted
     * @throws std::invalid_argument with the reason of Validate()
     * @throws std::logic_error if there are circuits
     */
    void Preset(const std::vector<WdmCircuit>& circuits);

    /**
     * Change all circuits.
     * @param circuits all that are wanted; others are gone
     * @param done called once they carry light, perhaps before this returns
     * @throws std::invalid_argument with the reason of Validate(); nothing has changed then
     * @throws std::logic_error if a change is under way
     */
    void Retune(const std::vector<WdmCircuit>& circuits, Done done = Done());

    /// @param source GPU @param destination GPU
    /// @return wavelengths of the circuit between them, 0 if there is none
    uint32_t GetWavelengths(uint32_t source, uint32_t destination) const;

    /**
     * @param wavelengths of a circuit, at least 1 @param propagation between the fibres
     * @return how long a packet of the largest MTU takes on it, to its last bit's arrival
     */
    Time GetPacketTime(uint32_t wavelengths, Time propagation) const;

    /// @return in which all that the present circuits send is over once they start no packet more:
    ///         the longest packet on the slowest one, and the longest propagation; 0 if all is dark
    Time GetSettlingTime() const;

    /// @return whether a change is under way, from Retune() until there is light
    bool IsRetuning() const;

    /// @return wavelengths that a GPU can send, and as many that it can receive
    uint32_t GetWavelengthLimit() const;
    /// @return time for which a retuned circuit is dark
    Time GetRetuningDelay() const;
    /// @return changes that made circuits dark, and are over
    uint64_t GetRetunes() const;
    /// @return total over transmitters of the time without light in changes; at most Time::Max()
    Time GetDarkTime() const;
    /// @return packets lost because their circuit went dark, which none should be
    uint64_t GetLostPackets() const;

    /// Trace of changes.
    typedef void (*RetuneTracedCallback)(const Outcome& outcome);
    /// Trace of circuits: which, its generation, up or down.
    typedef void (*CircuitTracedCallback)(const WdmCircuit& circuit, uint64_t generation, bool up);

  protected:
    void DoDispose() override;

  private:
    using Pair = std::pair<uint32_t, uint32_t>; ///< source and destination

    /// A device with its fibre, and the circuit that it sends into.
    struct Port
    {
        Ptr<OpticalChannel> fibre;
        Ptr<OpticalNetDevice> device;
        WdmCircuit circuit{}; ///< no wavelengths: dark
        uint64_t generation{0};
        Ptr<LightPath> path;
    };

    /// A change under way.
    struct Change
    {
        std::vector<WdmCircuit> up; ///< circuits to set up
        std::vector<Pair> down;     ///< circuits to make dark
        Done done;
        Outcome outcome;
    };

    Port& GetPort(const Pair& pair);
    void Darken();
    void Light();
    void SetUp(const WdmCircuit& circuit, bool preset);
    void TearDown(const Pair& pair);
    static void Tell(Port& port, std::function<void(FibreEnd&)> notice);

    uint32_t m_wavelengths;
    DataRate m_wavelengthRate;
    Time m_delay;
    Darkening m_darkening;
    std::map<Pair, Port> m_ports;
    uint32_t m_lit{0}; ///< circuits with light
    std::unique_ptr<Change> m_change;
    uint64_t m_generations{0};
    uint64_t m_retunes{0};
    uint64_t m_lost{0};
    __extension__ typedef __int128 Ticks;
    Ticks m_darkTicks{0};
    TracedCallback<const Outcome&> m_retuneTrace;
    TracedCallback<const WdmCircuit&, uint64_t, bool> m_circuitTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_WDM_FABRIC_H

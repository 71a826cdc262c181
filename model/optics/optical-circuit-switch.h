/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTICAL_CIRCUIT_SWITCH_H
#define PHOTONIC_OPTICAL_CIRCUIT_SWITCH_H

#include "light-path.h"
#include "ocs-technology.h"
#include "optical-channel.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @defgroup photonic-rails Photonic rails
 * @brief Distributed training on rails of optical circuit switches, and on what they are compared
 * with.
 */

/**
 * @defgroup photonic-rails-optics Optics
 * @ingroup photonic-rails
 * @brief NIC ports, fibres and the circuit switches that join them.
 */

/**
 * @ingroup photonic-rails-optics
 * @brief Two ports joined by light. Duplex: both directions; simplex: from in to out only.
 */
struct Circuit
{
    /// Port where light enters.
    uint32_t in;
    /// Port where light leaves.
    uint32_t out;

    /// @param o another circuit @return whether ports and direction are the same
    bool operator==(const Circuit& o) const
    {
        return in == o.in && out == o.out;
    }
};

/**
 * @ingroup photonic-rails-optics
 * @brief What a port of a circuit switch suffers from.
 */
enum class PortFault
{
    NONE,
    DEAD,  ///< no light passes
    STUCK, ///< its mirror does not move
};

/// @param fault of a port @return its name: "none", "dead" or "stuck"
const char* ToString(PortFault fault);

/**
 * @ingroup photonic-rails-optics
 * @brief An optical circuit switch: ports, fibres, and who sees whose light.
 *
 * The switch holds a matching (duplex) or a permutation (simplex). It adds no delay, no buffer and
 * no serialisation: a circuit costs one serialisation and the propagation of its fibres.
 *
 * Reconfigure() validates a request whole and then applies it. Ports of circuits that exist already
 * keep carrying; the others go dark for ReconfigurationDelay and then see their new peer. A port
 * that only loses its peer is unconnected: it is neither changed nor dark. Requests on disjoint
 * ports proceed in parallel; one that overlaps with a change in progress, or with an earlier
 * request that waits, is queued in order. Every circuit has a generation of its own, so that late
 * light of an old one is counted and never delivered to the new peer.
 *
 * With DrainAll a change takes the whole switch, as some published simulators have it: requests are
 * served one after another; all transmitters with light finish their packet, whatever
 * InFlightPolicy is; then all ports with a circuit before or after the change are dark for
 * ReconfigurationDelay, and the untouched circuits come back with new generations. Packets that
 * are queued meanwhile follow the DarkPolicy of their device: with `drop`, those at untouched
 * ports are dropped too. A request that changes nothing is done at once when its turn comes.
 *
 * A port's device learns of a change one fibre propagation after the switch. A packet survives if
 * its last bit left the switch at or before the start of the change; InFlightPolicy says what
 * happens to the others.
 *
 * The switch can break. Circuits of a dead port lose their light at once, and later ones with it
 * stay dark; a repaired port has light again when somebody asks for a circuit. A stuck port keeps
 * its circuit, or its darkness, whatever is asked: both ports of a circuit that would need it, or
 * the port that it is joined to, to turn stay as they are. A port that gets stuck while it turns
 * stays dark. In an outage all circuits are gone; requests, also those under way, start when it is
 * over, and what was lit before stays dark until somebody asks. A request is done after the same
 * time whether or not its circuits came up; Outcome::failed names the ports of those that did not.
 *
 * A fibre that breaks, or a device that fails, takes the light of a circuit, but the circuit
 * stands: its light comes back with the fibre.
 */
class OpticalCircuitSwitch : public Object
{
  public:
    /// What happens to light that is under way when its circuit is torn down.
    enum InFlightPolicy
    {
        LOSE,                 ///< it is lost, counted and traced
        DRAIN_CURRENT_PACKET, ///< the ends are told, finish the packet that they are sending, and
                              ///< the ports turn when its last bit has left the switch
    };

    /// What a request came to.
    struct Outcome
    {
        Time requested;        ///< Reconfigure() was called
        Time started;          ///< the first port went dark; equals done if nothing changed
        Time done;             ///< light is back at the devices of all dark ports
        uint32_t portsChanged; ///< ports that got a new circuit
        uint32_t portsDark;    ///< ports that went dark: the same, or with DrainAll more
        uint64_t id;           ///< number of the request at this switch, from 1
        std::vector<uint32_t> failed{}; ///< ports of circuits that did not come up, sorted
    };

    /// Called when the circuits of a request carry light, or would if nothing were broken.
    using Done = std::function<void(const Outcome&)>;

    /// @return the TypeId
    static TypeId GetTypeId();

    OpticalCircuitSwitch();
    ~OpticalCircuitSwitch() override;

    /**
     * Take radix and reconfiguration delay from a catalogue entry.
     * @param technology the entry
     */
    void SetTechnology(const OcsTechnology& technology);

    /**
     * Join a fibre to a port. The fibre's other end is a device.
     * @param port 0 to Radix-1, without a fibre (else std::invalid_argument)
     * @param fibre a channel with one device attached
     */
    void Attach(uint32_t port, Ptr<OpticalChannel> fibre);

    /**
     * @param circuits wanted; in duplex mode {a,b} and {b,a} are the same
     * @return empty if Reconfigure() would accept them, else why not: a port out of range, used
     *         twice, joined to itself, or without a fibre
     */
    std::string Validate(const std::vector<Circuit>& circuits) const;

    /**
     * Ask for circuits.
     * @param circuits wanted; other circuits stay, unless they use one of these ports
     * @param done called once all of them carry light (at once if they all do now)
     * @throws std::invalid_argument with the reason of Validate(); nothing has changed then
     */
    void Reconfigure(const std::vector<Circuit>& circuits, Done done = Done());

    /**
     * Put circuits in place before the simulation starts: no dark time, no events, no traces.
     * @param circuits wanted
     * @throws std::invalid_argument as Reconfigure(), and if a port is in use
     */
    void Preset(const std::vector<Circuit>& circuits);

    /**
     * Break a port.
     * @param port with a fibre (else std::invalid_argument)
     * @param fault what it suffers from now, whatever it suffered from before; NONE: it is repaired
     */
    void FailPort(uint32_t port, PortFault fault);

    /// End a port's fault, if it has one; circuits have to be asked for. @param port with a fibre
    void RepairPort(uint32_t port);

    /// @param port a port @return what it suffers from
    PortFault GetPortFault(uint32_t port) const;

    /// @param out whether the whole switch is without power from now on
    void SetOutage(bool out);

    /// @return whether it is
    bool IsOut() const;

    /**
     * Fix the random variable of the turning time.
     * @param stream of it
     * @return how many there are
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @param port an input
     * @return the output that its light goes to, or NO_PORT if it is dark or unconnected
     */
    uint32_t GetOutput(uint32_t port) const;

    /// @param port an input @return generation of its circuit, or 0
    uint64_t GetGeneration(uint32_t port) const;

    /// @param port a port @return whether it is turning now
    bool IsDark(uint32_t port) const;

    /// @param port a port @return whether a fibre goes into it
    bool HasFibre(uint32_t port) const;

    /// @return number of ports
    uint32_t GetRadix() const;
    /// @return time for which a changed port is dark, unless TurningTime says otherwise
    Time GetReconfigurationDelay() const;
    /// @return total over ports of the time for which they were dark; at most Time::Max()
    Time GetDarkTime() const;
    /// @return packets lost because their circuit lost its light
    uint64_t GetLostPackets() const;

    /// No port: dark or unconnected.
    static constexpr uint32_t NO_PORT = 0xffffffff;

    /// Trace of requests: outcome, whether it had to wait for another request.
    typedef void (*ReconfigurationTracedCallback)(const Outcome& outcome, bool queued);
    /// Trace of circuits: in, out, generation, up or down.
    typedef void (*CircuitTracedCallback)(uint32_t in, uint32_t out, uint64_t generation, bool up);
    /// Trace of ports that turn: port, number of the request that it turns for, whether it is dark.
    typedef void (*DarkTracedCallback)(uint32_t port, uint64_t request, bool dark);
    /// Trace of faults: port, or NO_PORT for the whole switch; "dead", "stuck" or "repaired", or
    /// "outage" or "back"; since when the fault that begins or ends has been there.
    typedef void (*FaultTracedCallback)(uint32_t port, const std::string& what, Time since);
    /// Trace of lost packets.
    typedef void (*DropTracedCallback)(Ptr<const Packet> packet, const std::string& reason);

  protected:
    void DoDispose() override;

  private:
    /// A request that waits for its ports or is being applied.
    struct Request
    {
        std::vector<Circuit> circuits; ///< directed; duplex ones stand in both directions
        std::vector<uint32_t> ports;   ///< the ends of the circuits or, with DrainAll, all ports
        Done done;
        Outcome outcome;
        bool queued{false};
        bool whole{false};            ///< it takes the whole switch
        std::vector<Circuit> changes; ///< circuits to set up: asked for, or to be put back
        uint32_t draining{0};         ///< transmitters that have not finished their packet
        Time drained;                 ///< when the last of them has left the switch
        /// Inputs whose transmitters were asked to start no further packet, with generations.
        std::vector<std::pair<uint32_t, uint64_t>> held{};
        std::vector<uint32_t> dark;     ///< ports that it makes dark
        std::vector<Circuit> blocked{}; ///< asked for, and given up because a port is stuck
        uint32_t attempt{0};            ///< it starts anew after an outage

        enum
        {
            WAITING, ///< for its ports
            GRANTED, ///< it has them
            BEGUN,   ///< it is being applied
        } state{WAITING};
    };

    /// What is joined to a port.
    struct Port
    {
        Ptr<OpticalChannel> fibre;
        uint32_t output{NO_PORT};     ///< where light that enters here leaves
        uint32_t input{NO_PORT};      ///< where light that leaves here entered
        Ptr<LightPath> path;          ///< of light that enters here
        uint64_t generation{0};       ///< of the circuit that starts here
        const Request* busy{nullptr}; ///< the request that this port is given to
        bool dark{false};             ///< it is turning
        PortFault fault{PortFault::NONE};
        Time faultSince;
    };

    std::vector<Circuit> Directed(const std::vector<Circuit>& circuits) const;
    /// @return directed circuits that exist and do not end where one of these does
    std::vector<Circuit> GetUntouched(const std::vector<Circuit>& changes) const;
    /// Apply a request whose ports are its own now. @return whether it is done already
    bool Start(const std::shared_ptr<Request>& request);
    void Drain(const std::shared_ptr<Request>& request, const std::vector<uint32_t>& inputs);
    /// A transmitter's last bit leaves the switch.
    void PacketFinished(const std::shared_ptr<Request>& request,
                        uint32_t attempt,
                        const ExactTime& gone);
    /// Give up changes that a stuck port is in the way of.
    void LeaveStuck(Request& request);
    bool NeedsStuckPort(const Circuit& change) const;
    /// Let transmitters go on that were held for a change which does not come.
    void ReleaseHeld(Request& request);
    /// End the dark time of a request's ports.
    void Undarken(Request& request);
    void StartAnew(const std::shared_ptr<Request>& request);
    Time DrawTurningTime() const;
    void Darken(const std::shared_ptr<Request>& request);
    void Light(const std::shared_ptr<Request>& request);
    void Finish(const std::shared_ptr<Request>& request);
    /// Start the waiting requests that can start.
    void StartWaiting();
    /// Start those whose ports are free now. @return whether any is done already
    bool StartFree();
    void TearDown(uint32_t input, const char* reason = LightPath::TORN_DOWN);
    /// The circuit stands, but there is no light in it any more.
    void Extinguish(uint32_t input, const char* reason);
    bool CutPath(uint32_t input, const char* reason);
    void TellDark(uint32_t input, uint32_t output, uint64_t generation);
    bool IsHeld(uint32_t input) const;
    bool IsCurrent(const std::shared_ptr<Request>& request, uint32_t attempt) const;
    void SetUp(const Circuit& circuit);
    /// Make the path of a circuit, if both fibres are whole.
    Ptr<LightPath> MakePath(uint32_t input);
    void TearDownAll(uint32_t port, const char* reason);
    Port& FindPort(uint32_t port);
    /// A fibre, or the device at its end, broke, or is whole again.
    void FibreChanged(uint32_t port, const char* reason);
    std::vector<uint32_t> InputsToCut(const Request& request) const;
    void Lost(Frame& frame, const char* reason);

    uint32_t m_radix;
    Time m_delay;
    InFlightPolicy m_inFlight;
    bool m_drainAll;
    bool m_simplex;
    bool m_loops;
    std::shared_ptr<OpticalChannel::Notices> m_notices; ///< of all fibres
    std::vector<Port> m_ports;
    std::deque<std::shared_ptr<Request>> m_waiting;
    std::vector<std::shared_ptr<Request>> m_active; ///< that have their ports
    Ptr<RandomVariableStream> m_turningTime;        ///< in seconds, or null
    bool m_out{false};                              ///< without power
    Time m_outSince;
    uint64_t m_requests{0};
    uint64_t m_generations{0};
    uint64_t m_lost{0};
    __extension__ typedef __int128 Ticks;
    Ticks m_darkTicks{0};
    TracedCallback<const Outcome&, bool> m_reconfigurationTrace;
    TracedCallback<uint32_t, uint32_t, uint64_t, bool> m_circuitTrace;
    TracedCallback<uint32_t, uint64_t, bool> m_darkTrace;
    TracedCallback<Ptr<const Packet>, const std::string&> m_dropTrace;
    TracedCallback<uint32_t, const std::string&, Time> m_faultTrace;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTICAL_CIRCUIT_SWITCH_H

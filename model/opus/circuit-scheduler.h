/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CIRCUIT_SCHEDULER_H
#define PHOTONIC_CIRCUIT_SCHEDULER_H

#include "opus-message.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief The policy of a controller: which request the circuit switch of a rail fulfils next, and
 * when.
 *
 * An OpusController has one for each rail. It counts requests, programs the switch and answers; a
 * request whose members all hold it comes here and waits until it is chosen. Whatever is chosen,
 * and however late, nobody's traffic is cut: all members have asked, and ports that are being
 * turned are not turned again.
 *
 * A subclass has a TypeId, by whose name it is plugged in, and one method, DoChoose().
 */
class CircuitScheduler : public Object
{
  public:
    static constexpr std::size_t MAX_FACTORY_BYTES = 4096; ///< of a text for ParseFactory()

    /// A request that all members hold. More is not known to a controller, bytes least of all.
    struct Request
    {
        OpusKey key;                 ///< the operation that needs the circuits
        GroupSlot slot;              ///< kind of the group
        std::vector<uint32_t> ports; ///< of the switch, both ends of each circuit
        Time requested;              ///< the first member's request was sent
        Time complete;               ///< the last one's came
    };

    /// No request, for now.
    static constexpr std::size_t NONE = static_cast<std::size_t>(-1);

    /// @return of the class
    static TypeId GetTypeId();

    CircuitScheduler();
    ~CircuitScheduler() override;

    /**
     * @param text name of a TypeId, and its attributes in brackets if any are to be set:
     *        "ns3::MyScheduler[Arms=2|First=pp]"
     * @return what makes such schedulers
     * @throws std::invalid_argument with one line that says what was found and what is expected,
     * unless it is a scheduler that can be made and has these attributes
     */
    static ObjectFactory ParseFactory(const std::string& text);

    /// @param again called when ChooseAgain() is due
    void SetAgain(std::function<void()> again);

    /// @param request that waits from now on; its key is not here
    void Add(const Request& request);

    /// @param key of a request that is over, or given up
    void Remove(const OpusKey& key);

    /**
     * @return the requests that start now, in order; they hold their ports until Remove()
     * @throws std::invalid_argument if the policy chooses one whose ports are held
     */
    std::vector<OpusKey> Choose();

    /// @param key of a request @return whether nothing but the policy keeps it waiting
    bool IsHeldBack(const OpusKey& key) const;

  protected:
    void DoDispose() override;

    /// @param request one that waits @return whether none of its ports is held
    bool ArePortsFree(const Request& request) const;

    /// @return requests that have started and are not over, by key
    const std::map<OpusKey, Request>& GetStarted() const;

    /**
     * Have DoChoose() called again; else it is when a request comes, ends or is given up.
     * @param delay above 0, else std::invalid_argument: time has to go on
     */
    void ChooseAgain(Time delay);

  private:
    /**
     * Called until it returns NONE or nothing waits.
     * @param waiting in the order in which they became complete; not empty
     * @return position of the one that starts now, all of whose ports are free; or NONE
     */
    virtual std::size_t DoChoose(const std::vector<Request>& waiting) = 0;

    std::vector<Request> m_waiting;
    std::map<OpusKey, Request> m_started;
    std::unordered_set<uint32_t> m_held; ///< ports
    std::function<void()> m_again;
    EventId m_event; ///< that chooses again
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CIRCUIT_SCHEDULER_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CAUSE_H
#define PHOTONIC_CAUSE_H

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief Why an event happened when it did: the chain of latest predecessors that leads to it.
 *
 * Every event of a training job inherits the Cause of whichever predecessor came last (an arrival,
 * the end of a computation, a granted circuit). Only reconfigurations and waits for circuits are
 * kept in the chain, so that walking back from the end of a step meets exactly those that the step
 * time depends on; a job lets go of those that belong to steps that all its ranks have ended. A
 * Cause is a handle and cheap to copy; a default-constructed one is the start of
 * the run.
 */
class Cause
{
  public:
    Cause() = default;

    /**
     * @param id identifies the reconfiguration (not 0)
     * @return this chain, prolonged by a reconfiguration
     */
    Cause AfterReconfiguration(uint64_t id) const;

    /**
     * @param wait how long an operation that was otherwise ready waited for its circuits
     * @return this chain, prolonged by the wait; the same chain if the wait is zero
     */
    Cause AfterStall(Time wait) const;

    /**
     * @param reconfigurations on a chain
     * @param stall total of the waits on it
     * @param named identifiers of the latest of the reconfigurations, latest first
     * @return a chain that says the same
     */
    static Cause Restore(uint64_t reconfigurations, Time stall, const std::vector<uint64_t>& named);

    /**
     * Let go of the names of reconfigurations before an instant, in all chains that share them:
     * a long run would keep each that a chain has met. Counts and totals stay.
     * @param before an instant; reconfigurations since then can still be walked back over
     */
    void Forget(Time before) const;

    /// @return reconfigurations on the chain, from the start of the run
    uint64_t GetReconfigurations() const;

    /// @return total of the waits for circuits on the chain, from the start of the run
    Time GetStall() const;

    /**
     * Walk back over the reconfigurations of the chain, latest first.
     * @param visit called with each identifier; returns false to stop
     */
    template <typename F>
    void WalkBack(F&& visit) const
    {
        for (const Node* n = PeekPointer(m_last); n; n = PeekPointer(n->previous))
        {
            if (n->id != 0 && !visit(n->id))
            {
                return;
            }
        }
    }

  private:
    /// A reconfiguration (id not 0) or a wait.
    struct Node : public SimpleRefCount<Node>
    {
        ~Node();
        mutable Ptr<const Node> previous;
        uint64_t id{0};
        uint64_t reconfigurations{0};
        Time stall;
        Time made; ///< when it was added to the chain
    };

    explicit Cause(Ptr<const Node> last)
        : m_last(last)
    {
    }

    Ptr<const Node> m_last;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CAUSE_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPERATOR_PLANNER_H
#define PHOTONIC_OPERATOR_PLANNER_H

#include "fluid-nics.h"
#include "operator-schedule.h"

#include <cstdint>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-operators
 * @brief Plays a step of an operator graph through, for OperatorSchedule.
 */
class OperatorPlanner
{
  public:
    /// As of OperatorSchedule. @param graph of it @param compute of it @param placement of it
    /// @param rate of it @param bytesPerParameter of it
    OperatorPlanner(const OperatorGraph& graph,
                    const ComputeModel& compute,
                    const OperatorPlacement& placement,
                    DataRate rate,
                    uint32_t bytesPerParameter);

    /**
     * Once only.
     * @param tasks takes all computations, in the order of their start
     * @return of each GPU, when the last computation is over and the last gradient is there
     */
    std::vector<Time> Run(std::vector<OperatorTask>& tasks);

  private:
    /// Equal shares that every GPU of a set sends to every other one of another set.
    struct Exchange
    {
        const std::vector<uint32_t>* from;
        const std::vector<uint32_t>* to;
        uint64_t share;              ///< bytes
        std::vector<uint32_t> waits; ///< computations that each sender has before it
        std::vector<Time> begins;    ///< of each sender
        std::vector<Time> leaves;    ///< end of each sender's last byte
        uint32_t open;               ///< senders that have not begun
    };

    /// A computation begins to be possible, or ends.
    struct Event
    {
        Time time;
        uint64_t order;
        uint32_t task;
        bool isEnd;

        bool operator<(const Event& other) const // for a queue whose top is the earliest
        {
            return std::tie(other.time, other.order) < std::tie(time, order);
        }
    };

    static constexpr uint32_t PASSES = 3;

    uint32_t GetTask(uint32_t number, uint32_t piece, OperatorPass pass) const
    {
        return PASSES * (m_firstPiece[number] + piece) + static_cast<uint32_t>(pass);
    }

    uint32_t GetPriority(const OperatorTask& task) const
    {
        const uint32_t n = m_graph.GetSize();
        const uint32_t rank =
            task.pass == OperatorPass::FORWARD ? task.number : n - 1 - task.number;
        return static_cast<uint32_t>(task.pass) * n + rank;
    }

    void AddOperator(uint32_t number, const ComputeModel& compute);
    void Arrive(uint32_t task, Time time);
    void ArriveBackward(uint32_t number, uint32_t piece, Time time);
    void Push(Time time, uint32_t task, bool isEnd);
    void End(uint32_t task);
    void Contribute(uint32_t number, bool isForward, uint32_t position, Time time);
    void Deliver(uint32_t number, bool isForward);
    void Synchronise(const OperatorTask& task, Time time);
    void Dispatch(uint32_t position, Time now, std::vector<OperatorTask>& tasks);

    const OperatorGraph& m_graph;
    const OperatorPlacement& m_placement;
    uint32_t m_bytesPerParameter;
    FluidNics m_nics;
    std::vector<uint32_t> m_firstPiece; ///< of each operator, among all
    std::vector<OperatorTask> m_tasks;  ///< all that there may be
    std::vector<uint32_t> m_waits;      ///< of each, for how much
    std::vector<Time> m_ready;          ///< of each, the latest so far of that
    std::vector<Exchange> m_exchanges;  ///< forward and backward of each operator
    std::vector<std::set<std::pair<uint32_t, uint32_t>>> m_possible; ///< priority and task, by GPU
    std::vector<bool> m_isBusy;
    std::vector<Time> m_last; ///< of each GPU
    std::priority_queue<Event> m_events;
    uint64_t m_pushed{0};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPERATOR_PLANNER_H

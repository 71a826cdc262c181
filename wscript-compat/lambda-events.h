/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_LAMBDA_EVENTS_H
#define PHOTONIC_LAMBDA_EVENTS_H

/**
 * @file
 * Events of lambda expressions, which ns-3 makes itself only since 3.36. It has to come before
 * ns-3's simulator.h, so the wscript has it included at the head of every source file.
 */
#include "ns3/event-impl.h"

#include <type_traits>
#include <utility>

namespace ns3
{

/// An event that calls what can be called without arguments.
template <typename F>
class LambdaEvent : public EventImpl
{
  public:
    explicit LambdaEvent(F function)
        : m_function(std::move(function))
    {
    }

  private:
    void Notify() override
    {
        m_function();
    }

    F m_function;
};

/// Simulator::Schedule() calls this, by whatever name ns-3 has for events.
template <typename F, typename = std::enable_if_t<std::is_class_v<F> && std::is_invocable_v<F&>>>
EventImpl*
MakeEvent(F function)
{
    return new LambdaEvent<F>(std::move(function));
}

} // namespace ns3

#endif // PHOTONIC_LAMBDA_EVENTS_H

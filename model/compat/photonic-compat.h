/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_COMPAT_H
#define PHOTONIC_COMPAT_H

/**
 * @file
 * @ingroup photonic-rails
 * What ns-3 spells differently from release to release, in one spelling. It asks what compiles,
 * never for a version.
 */
#include "ns3/callback.h"
#include "ns3/enum.h"
#include "ns3/packet.h"
#include "ns3/queue.h"
#include "ns3/simple-ref-count.h"

#include <functional>
#include <utility>

namespace ns3
{
namespace photonic
{

/// For EnumAccessor: since 3.41 an accessor of an enumeration is made with its type.
/// @param member where it is @return the accessor
template <typename E, typename M>
auto
TypedEnumAccessor(M member, int) -> decltype(MakeEnumAccessor<E, M>(member))
{
    return MakeEnumAccessor<E, M>(member);
}

/// For EnumAccessor: before 3.41 every enumeration was an int.
/// @param member where it is @return the accessor
template <typename E, typename M>
Ptr<const AttributeAccessor>
TypedEnumAccessor(M member, long)
{
    return MakeEnumAccessor(member);
}

/// @param member of an enumeration, unscoped: others need 3.41 @return the accessor of an attribute
template <typename E, typename C>
Ptr<const AttributeAccessor>
EnumAccessor(E C::* member)
{
    return TypedEnumAccessor<E>(member, 0);
}

/// For FunctionCallback: what a callback can call in every release, and compare.
template <typename R, typename... Args>
class HeldFunction : public SimpleRefCount<HeldFunction<R, Args...>>
{
  public:
    /// @param function to be held
    explicit HeldFunction(std::function<R(Args...)> function)
        : m_function(std::move(function))
    {
    }

    /// @param args of the function @return what it returns
    R Call(Args... args)
    {
        return m_function(args...);
    }

  private:
    std::function<R(Args...)> m_function;
};

/// For FunctionCallback: finds the types. @param function to be called @return the callback
template <typename R, typename... Args>
Callback<R, Args...>
HoldFunction(std::function<R(Args...)> function)
{
    return MakeCallback(&HeldFunction<R, Args...>::Call,
                        Create<HeldFunction<R, Args...>>(std::move(function)));
}

/// @return a callback @param function lambda expression, of which only 3.37 makes callbacks itself
template <typename F>
auto
FunctionCallback(F function)
{
    return HoldFunction(std::function(std::move(function)));
}

/// A queue whose subclasses see what it holds: through a container, before 3.37 by iterators.
class OpenQueue : public Queue<Packet>
{
  protected:
    /// @return the first packet
    ConstIterator Begin() const
    {
        return BeginOf(*this, 0);
    }

    /// @return behind the last packet
    ConstIterator End() const
    {
        return EndOf(*this, 0);
    }

  private:
    template <typename Q>
    static auto BeginOf(const Q& queue, int) -> decltype(queue.GetContainer().begin())
    {
        return queue.GetContainer().begin();
    }

    template <typename Q>
    static auto BeginOf(const Q& queue, long) -> decltype(queue.begin())
    {
        return queue.begin();
    }

    template <typename Q>
    static auto EndOf(const Q& queue, int) -> decltype(queue.GetContainer().end())
    {
        return queue.GetContainer().end();
    }

    template <typename Q>
    static auto EndOf(const Q& queue, long) -> decltype(queue.end())
    {
        return queue.end();
    }
};

/// For DisableFlowControl: a helper that can. @param helper of devices @return nothing
template <typename H>
auto
TryDisableFlowControl(H& helper, int) -> decltype(helper.DisableFlowControl(), void())
{
    helper.DisableFlowControl();
}

/// For DisableFlowControl: before 3.36 devices always have it. @param helper of devices
template <typename H>
void
TryDisableFlowControl([[maybe_unused]] H& helper, long)
{
}

/// Where a helper can, have its devices take packets beyond the end of a queue. @param helper for
/// devices whose queues are never full, so that it makes no difference where it cannot
template <typename H>
void
DisableFlowControl(H& helper)
{
    TryDisableFlowControl(helper, 0);
}

} // namespace photonic
} // namespace ns3

#endif /* PHOTONIC_COMPAT_H */

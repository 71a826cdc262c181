/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "circuit-scheduler.h"

#include "ns3/factory-text.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

NS_LOG_COMPONENT_DEFINE("CircuitScheduler");
NS_OBJECT_ENSURE_REGISTERED(CircuitScheduler);

namespace
{

/// @return names of the schedulers that can be made
std::string
ListTypes()
{
    std::string names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.IsChildOf(CircuitScheduler::GetTypeId()) && type.HasConstructor())
        {
            names += (names.empty() ? "" : " or ") + type.GetName();
        }
    }
    return names;
}

} // namespace

TypeId
CircuitScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::photonic::CircuitScheduler").SetParent<Object>().SetGroupName("PhotonicRails");
    return tid;
}

CircuitScheduler::CircuitScheduler()
{
    NS_LOG_FUNCTION(this);
}

CircuitScheduler::~CircuitScheduler()
{
    NS_LOG_FUNCTION(this);
}

void
CircuitScheduler::DoDispose()
{
    m_event.Cancel();
    m_again = nullptr;
    Object::DoDispose();
}

ObjectFactory
CircuitScheduler::ParseFactory(const std::string& text)
{
    if (text.size() > MAX_FACTORY_BYTES)
    {
        throw std::invalid_argument("found a text of more bytes, expected at most " +
                                    std::to_string(MAX_FACTORY_BYTES));
    }
    return ReadFactory(text, GetTypeId(), "the TypeId of a circuit scheduler, " + ListTypes());
}

void
CircuitScheduler::SetAgain(std::function<void()> again)
{
    m_again = std::move(again);
}

void
CircuitScheduler::Add(const Request& request)
{
    m_waiting.push_back(request);
}

void
CircuitScheduler::Remove(const OpusKey& key)
{
    const auto started = m_started.find(key);
    if (started == m_started.end())
    {
        m_waiting.erase(std::find_if(m_waiting.begin(), m_waiting.end(), [&](const Request& r) {
            return r.key == key;
        }));
        return;
    }
    for (uint32_t port : started->second.ports)
    {
        m_held.erase(port);
    }
    m_started.erase(started);
}

std::vector<OpusKey>
CircuitScheduler::Choose()
{
    std::vector<OpusKey> chosen;
    while (!m_waiting.empty())
    {
        const std::size_t position = DoChoose(m_waiting);
        if (position == NONE)
        {
            break;
        }
        if (position >= m_waiting.size() || !ArePortsFree(m_waiting[position]))
        {
            throw std::invalid_argument(GetInstanceTypeId().GetName() +
                                        " chose a request that cannot start");
        }
        const Request request = m_waiting[position];
        m_waiting.erase(m_waiting.begin() + position);
        NS_LOG_LOGIC(ToString(request.key) << " starts");
        m_held.insert(request.ports.begin(), request.ports.end());
        m_started.emplace(request.key, request);
        chosen.push_back(request.key);
    }
    return chosen;
}

bool
CircuitScheduler::IsHeldBack(const OpusKey& key) const
{
    return std::any_of(m_waiting.begin(), m_waiting.end(), [&](const Request& request) {
        return request.key == key && ArePortsFree(request);
    });
}

bool
CircuitScheduler::ArePortsFree(const Request& request) const
{
    return std::none_of(request.ports.begin(), request.ports.end(), [this](uint32_t port) {
        return m_held.count(port) > 0;
    });
}

const std::map<OpusKey, CircuitScheduler::Request>&
CircuitScheduler::GetStarted() const
{
    return m_started;
}

void
CircuitScheduler::ChooseAgain(Time delay)
{
    if (!delay.IsStrictlyPositive())
    {
        throw std::invalid_argument(GetInstanceTypeId().GetName() +
                                    " wants to be asked again at once");
    }
    m_event.Cancel();
    m_event = Simulator::Schedule(delay, [this] { m_again(); });
}

} // namespace photonic
} // namespace ns3

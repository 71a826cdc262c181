/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "circuit-scheduler.h"

#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <sstream>
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
    const auto bracket = std::min(text.find('['), text.size());
    const std::string name = text.substr(0, bracket);
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(name, &type) || !type.IsChildOf(GetTypeId()) ||
        !type.HasConstructor())
    {
        throw std::invalid_argument("expected the TypeId of a circuit scheduler, " + ListTypes());
    }
    ObjectFactory factory(name);
    if (bracket == text.size())
    {
        return factory;
    }
    if (text.back() != ']')
    {
        throw std::invalid_argument("expected " + name + "[attribute=value|...]");
    }
    std::istringstream attributes(text.substr(bracket + 1, text.size() - bracket - 2));
    for (std::string attribute; std::getline(attributes, attribute, '|');)
    {
        // ns-3 would abort where one does not fit.
        const auto equals = std::min(attribute.find('='), attribute.size());
        TypeId::AttributeInformation known;
        if (!type.LookupAttributeByName(attribute.substr(0, equals), &known))
        {
            throw std::invalid_argument(name + " has no attribute \"" +
                                        attribute.substr(0, equals) + "\"");
        }
        const bool hasValue = equals < attribute.size();
        const StringValue value(hasValue ? attribute.substr(equals + 1) : "");
        // Some releases take no text for a Time, others do not.
        if (!hasValue || !known.checker->CreateValidValue(value))
        {
            throw std::invalid_argument(attribute + ": expected a value of " + known.name + ", " +
                                        known.checker->GetValueTypeName());
        }
        factory.Set(known.name, value);
    }
    return factory;
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

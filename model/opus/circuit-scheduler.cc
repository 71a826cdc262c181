/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "circuit-scheduler.h"

#include "ns3/input-text.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <map>
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

/// @param type of a scheduler @return names of its attributes
std::string
ListAttributes(TypeId type)
{
    std::string names;
    for (; type != Object::GetTypeId(); type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            names += (names.empty() ? "" : " or ") + type.GetAttribute(i).name;
        }
    }
    return names.empty() ? "none" : names;
}

const char* const BLANKS = " \t\n\v\f\r";
const std::string ENUM = "ns3::EnumValue"; ///< followed by a type, in later releases of ns-3

/// @param text of a number @return whether all of it is one: ns-3 ends the program where it is not
template <typename T>
bool
IsNumber(const std::string& text)
{
    std::istringstream stream(text);
    T value;
    return text.find_first_of(BLANKS) == std::string::npos && stream >> value &&
           stream.peek() == std::istringstream::traits_type::eof();
}

/// @param text of a time @return whether ns-3 can read it: it ends the program where it cannot
bool
IsTime(const std::string& text)
{
    static const std::map<std::string, double> units = {{"", 1},
                                                        {"s", 1},
                                                        {"ms", 1e-3},
                                                        {"us", 1e-6},
                                                        {"ns", 1e-9},
                                                        {"ps", 1e-12},
                                                        {"fs", 1e-15},
                                                        {"min", 60},
                                                        {"h", 3600},
                                                        {"d", 24 * 3600},
                                                        {"y", 365 * 24 * 3600}};
    const auto end = std::min(text.find_first_not_of("+-0123456789.eE"), text.size());
    const auto unit = units.find(text.substr(end));
    std::istringstream number(text.substr(0, end));
    double value;
    return unit != units.end() && number >> value &&
           number.peek() == std::istringstream::traits_type::eof() &&
           std::abs(value) < 9e18 && // so that it also fits without its unit
           std::abs(value) * unit->second * Seconds(1).GetTimeStep() < 9e18;
}

ObjectFactory MakeFactory(const std::string& text, TypeId parent, const std::string& expected);

/**
 * @param attribute of a class
 * @param text of a value of it
 * @return whether it is one. ns-3 itself would end the program for some that are not
 */
bool
IsValue(const TypeId::AttributeInformation& attribute, const std::string& text)
{
    static const std::map<std::string, bool (*)(const std::string&)> kinds = {
        {"ns3::BooleanValue", [](const std::string&) { return true; }},
        {"ns3::DataRateValue",
         [](const std::string& rate) { return rate.find_first_of(BLANKS) == std::string::npos; }},
        {"ns3::DoubleValue", IsNumber<double>},
        {"ns3::IntegerValue", IsNumber<int64_t>},
        {"ns3::StringValue", [](const std::string&) { return true; }},
        {"ns3::TimeValue", IsTime},
        {"ns3::UintegerValue", IsNumber<uint64_t>}};
    // A few of ns-3's own, and those made by its macros, come without the namespace.
    std::string kind = attribute.checker->GetValueTypeName();
    kind = kind.compare(0, 5, "ns3::") == 0 ? kind : "ns3::" + kind;
    const auto* pointer =
        dynamic_cast<const PointerChecker*>(PeekPointer<const AttributeChecker>(attribute.checker));
    if (pointer)
    {
        const auto bracket = std::min(text.find('['), text.size());
        if (text.find_first_of(BLANKS) != std::string::npos ||
            (bracket < text.size() && text.find_first_of("[]", bracket + 1) + 1 != text.size()))
        {
            return false; // ns-3 knows no blanks there, and no objects inside objects
        }
        MakeFactory(text,
                    pointer->GetPointeeTypeId(),
                    "the TypeId of a class for " + attribute.name);
    }
    else if (kind.compare(0, ENUM.size(), ENUM) != 0)
    {
        const auto known = kinds.find(kind);
        if (known == kinds.end() || !known->second(text)) // others are names and addresses
        {
            return false;
        }
    }
    return attribute.checker->CreateValidValue(StringValue(text)) != nullptr;
}

/**
 * @param text name of a TypeId, and its attributes in brackets if any are to be set
 * @param parent of the class
 * @param expected what is expected
 * @return what makes such objects
 */
ObjectFactory
MakeFactory(const std::string& text, TypeId parent, const std::string& expected)
{
    const auto bracket = std::min(text.find('['), text.size());
    const std::string name = text.substr(0, bracket);
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(name, &type) || !type.IsChildOf(parent) ||
        !type.HasConstructor())
    {
        throw std::invalid_argument("found " + Quote(name) + ", expected " + expected);
    }
    ObjectFactory factory(name);
    if (bracket == text.size())
    {
        return factory;
    }
    if (text.back() != ']')
    {
        throw std::invalid_argument("found no ] at the end, expected " + name +
                                    "[attribute=value|...]");
    }
    std::istringstream attributes(text.substr(bracket + 1, text.size() - bracket - 2));
    for (std::string attribute; std::getline(attributes, attribute, '|');)
    {
        const auto equals = std::min(attribute.find('='), attribute.size());
        TypeId::AttributeInformation known;
        if (!type.LookupAttributeByName(attribute.substr(0, equals), &known))
        {
            throw std::invalid_argument(name + " has no attribute " +
                                        Quote(attribute.substr(0, equals)) + ", expected " +
                                        ListAttributes(type));
        }
        const std::string value = equals < attribute.size() ? attribute.substr(equals + 1) : "";
        if (!IsValue(known, value))
        {
            throw std::invalid_argument("attribute " + known.name + ": found " + Quote(value) +
                                        ", expected a value of " + known.name + ", " +
                                        known.checker->GetValueTypeName());
        }
        factory.Set(known.name, StringValue(value));
    }
    return factory;
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
    return MakeFactory(text, GetTypeId(), "the TypeId of a circuit scheduler, " + ListTypes());
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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTIONS_FORM_H
#define PHOTONIC_OPTIONS_FORM_H

#include "options-quantity.h"
#include "options-table.h"

#include "ns3/algorithm-table-file.h"
#include "ns3/circuit-scheduler.h"
#include "ns3/data-rate.h"
#include "ns3/operator-model.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>

// The forms in which the options of the table are written. A field is what std::invoke(field,
// options) refers to: a pointer to a member of Options, or a function.

namespace ns3
{
namespace photonic
{

/// @return the parts as one text
inline std::string
Join(const std::vector<std::string>& parts, const std::string& separator)
{
    std::string all;
    for (const auto& part : parts)
    {
        all += (all.empty() ? "" : separator) + part;
    }
    return all;
}

/// @return how reports know a file: the same wherever it is
inline std::string
FileName(const std::string& path)
{
    return std::filesystem::path(path).filename().string();
}

/// @return a whole number; throws std::invalid_argument unless it is in the range
inline uint32_t
ParseWhole(const std::string& text, uint32_t min, uint32_t max)
{
    const bool digits = !text.empty() && text.size() <= 10 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    const uint64_t value = digits ? std::stoull(text) : 0;
    if (!digits || value < min || value > max)
    {
        throw std::invalid_argument("expected a whole number from " + std::to_string(min) + " to " +
                                    std::to_string(max));
    }
    return static_cast<uint32_t>(value);
}

/// A field of Options::plan, and so on.
template <typename Member>
auto
InPlan(Member member)
{
    return [member](auto& o) -> auto& { return o.plan.*member; };
}

template <typename Member>
auto
InDegrees(Member member)
{
    return [member](auto& o) -> auto& { return o.plan.degrees.*member; };
}

template <typename Member>
auto
InPlanRouting(Member member)
{
    return [member](auto& o) -> auto& { return o.plan.routing.*member; };
}

template <typename Member>
auto
InGpu(Member member)
{
    return [member](auto& o) -> auto& { return o.plan.gpu.*member; };
}

template <typename Member>
auto
InOcs(Member member)
{
    return [member](auto& o) -> auto& { return o.ocs.*member; };
}

template <typename Member>
auto
InTiers(Member member)
{
    return [member](auto& o) -> auto& { return o.switchTiers.*member; };
}

/// A whole number; below the range: not set.
template <typename Field>
Form
Whole(Field field, uint32_t min = 1, uint32_t max = MAX_COUNT)
{
    return {std::to_string(min) + ".." + std::to_string(max),
            [=](Options& o, const std::string& text) {
                std::invoke(field, o) = ParseWhole(text, min, max);
            },
            [=](const Options& o) {
                const uint32_t value = std::invoke(field, o);
                return value < min ? "" : std::to_string(value);
            }};
}

/// One of two numbers.
template <typename Field>
Form
EitherOf(Field field, uint32_t one, uint32_t other)
{
    const std::string either = std::to_string(one) + "|" + std::to_string(other);
    return {either,
            [=](Options& o, const std::string& text) {
                if (text != std::to_string(one) && text != std::to_string(other))
                {
                    throw std::invalid_argument("expected " + either);
                }
                std::invoke(field, o) = text == std::to_string(one) ? one : other;
            },
            [=](const Options& o) { return std::to_string(std::invoke(field, o)); }};
}

// What a choice is called.

inline std::string
NameOf(const std::string& choice)
{
    return choice;
}

template <typename Entry>
auto
NameOf(const Entry& choice) -> decltype(choice.name)
{
    return choice.name;
}

template <typename Enum>
auto
NameOf(Enum choice) -> decltype(std::string(ToString(choice)))
{
    return ToString(choice);
}

/// One of several words, enumerators or entries of a catalogue.
template <typename Field, typename Value>
Form
Choice(Field field, const std::vector<Value>& choices)
{
    std::vector<std::string> names;
    for (const auto& choice : choices)
    {
        names.push_back(NameOf(choice));
    }
    return {Join(names, "|"),
            [=](Options& o, const std::string& text) {
                const auto name = std::find(names.begin(), names.end(), text);
                if (name == names.end())
                {
                    throw std::invalid_argument("expected " + Join(names, " or "));
                }
                std::invoke(field, o) = choices[name - names.begin()];
            },
            [=](const Options& o) { return NameOf(std::invoke(field, o)); }};
}

/// The policy of the controller.
inline Form
Scheduler()
{
    return {"TYPEID",
            [](Options& o, const std::string& text) {
                CircuitScheduler::ParseFactory(text);
                o.controller = text;
            },
            [](const Options& o) { return o.controller; }};
}

/// A transformer, built in or from a file.
inline Form
Model()
{
    return {
        "NAME|FILE",
        [](Options& o, const std::string& text) { o.plan.model = TransformerModel::Load(text); },
        [](const Options& o) { return FileName(o.plan.model.GetShape().name); }};
}

/// The order of ranks.
inline Form
Order()
{
    return {
        "megatron|torchtitan|D-D-D-D-D-D",
        [](Options& o, const std::string& text) { o.plan.degrees.order = ParseRankOrder(text); },
        [](const Options& o) { return ToString(o.plan.degrees.order); }};
}

/// How an all-to-all is done; what "auto" comes to is written.
inline Form
AllToAll()
{
    Form form = Choice(&Options::allToAll,
                       std::vector<std::string>{"auto", "matchings", "ring", "pairwise", "direct"});
    form.write = [](const Options& o) { return o.GetAllToAll(); };
    return form;
}

/// A table of algorithms.
inline Form
Algorithms()
{
    return {"FILE|off",
            [](Options& o, const std::string& text) {
                o.algorithms = text == "off" ? nullptr : ReadAlgorithmTable(text);
                o.algorithmsFile = text;
            },
            [](const Options& o) {
                return o.algorithms ? FileName(o.algorithmsFile) : std::string("off");
            }};
}

/// A book of prices, built in or from a file.
inline Form
Prices()
{
    return {"NAME|FILE",
            [](Options& o, const std::string& text) { o.prices = PriceBook::Load(text); },
            [](const Options& o) { return FileName(o.prices.name); }};
}

/// A phase trace.
inline Form
Replay()
{
    return {"FILE",
            [](Options& o, const std::string& text) {
                if (text.empty())
                {
                    throw std::invalid_argument("expected FILE");
                }
                o.trace = std::make_shared<PhaseTrace>(ReadPhaseTrace(text));
                o.replay = text;
            },
            [](const Options& o) { return FileName(o.replay); }};
}

/// A model that is run as a graph of operators.
inline Form
Operators()
{
    std::vector<std::string> names;
    for (const auto& model : GetOperatorModels())
    {
        names.push_back(model.name);
    }
    return {Join(names, "|"),
            [](Options& o, const std::string& text) {
                FindOperatorModel(text); // or it throws
                o.operators = text;
            },
            [](const Options& o) { return o.operators; }};
}

/// A file or directory.
inline Form
Path(std::string Options::* field, const std::string& values)
{
    return {values,
            [=](Options& o, const std::string& text) {
                if (text.empty())
                {
                    throw std::invalid_argument("expected " + values);
                }
                o.*field = text;
            },
            [=](const Options& o) { return FileName(o.*field); }};
}

/// Part of the configuration, with a name of its own for either value.
template <typename Field>
Form
Switch(Field field)
{
    return {ON_OR_OFF,
            [=](Options& o, const std::string& value) {
                if (value != "on" && value != "off")
                {
                    throw std::invalid_argument(std::string("expected ") + ON_OR_OFF);
                }
                std::invoke(field, o) = value == "on";
            },
            [=](const Options& o) { return std::string(std::invoke(field, o) ? "on" : "off"); }};
}

/// Set by being there.
inline Form
Flag(bool Options::* field)
{
    return {"",
            [=](Options& o, const std::string&) { o.*field = true; },
            [](const Options&) { return std::string(); }};
}

// Between a Quantity and the type that ns-3 has for it.

inline void
Store(uint64_t value, Time& picoseconds)
{
    picoseconds = Time::FromInteger(value, Time::PS);
}

inline void
Store(uint64_t value, DataRate& bitsPerSecond)
{
    bitsPerSecond = DataRate(value);
}

inline void
Store(uint64_t value, double& number)
{
    number = static_cast<double>(value);
}

inline void
Store(uint64_t value, uint64_t& number)
{
    number = value;
}

inline uint64_t
Load(const uint64_t& number)
{
    return number;
}

inline uint64_t
Load(const Time& picoseconds)
{
    return picoseconds.GetPicoSeconds();
}

inline uint64_t
Load(const DataRate& bitsPerSecond)
{
    return bitsPerSecond.GetBitRate();
}

inline uint64_t
Load(double number)
{
    return static_cast<uint64_t>(number);
}

/// A number with a unit.
template <typename Field>
Form
Measured(const Quantity& quantity, Field field)
{
    return {
        quantity.placeholder,
        [=, &quantity](Options& o, const std::string& text) {
            Store(quantity.Parse(text), std::invoke(field, o));
        },
        [=, &quantity](const Options& o) { return quantity.Format(Load(std::invoke(field, o))); }};
}

/// A number without a unit.
template <typename Field>
Form
Number(Field field, double min, double max)
{
    const auto write = [](double value) {
        std::ostringstream stream;
        stream.precision(12);
        stream << value;
        return stream.str();
    };
    return {write(min) + ".." + write(max),
            [=](Options& o, const std::string& text) {
                std::istringstream stream(text);
                double value;
                const bool number = !text.empty() && text.size() <= 12 &&
                                    text.find_first_not_of("0123456789.") == std::string::npos &&
                                    stream >> value &&
                                    stream.peek() == std::istringstream::traits_type::eof();
                if (!number || value < min || value > max)
                {
                    throw std::invalid_argument("expected a number from " + write(min) + " to " +
                                                write(max));
                }
                std::invoke(field, o) = value;
            },
            [=](const Options& o) { return write(std::invoke(field, o)); }};
}

/// Whole numbers, one per pipeline stage; none: not set.
template <typename Field>
Form
WholeList(Field field)
{
    return {"N,N,...",
            [=](Options& o, const std::string& text) {
                std::vector<uint32_t> values;
                std::istringstream stream(text + ",");
                for (std::string part; std::getline(stream, part, ',');)
                {
                    values.push_back(ParseWhole(part, 1, MAX_COUNT));
                }
                std::invoke(field, o) = values;
            },
            [=](const Options& o) {
                std::vector<std::string> parts;
                for (uint32_t value : std::invoke(field, o))
                {
                    parts.push_back(std::to_string(value));
                }
                return Join(parts, ",");
            }};
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTIONS_FORM_H

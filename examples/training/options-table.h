/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_OPTIONS_TABLE_H
#define PHOTONIC_OPTIONS_TABLE_H

#include "options.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

constexpr uint32_t MAX_COUNT = 1000000; ///< of anything that is counted

/// How an option is written: its values in help, and between text and Options.
struct Form
{
    std::string values;                                     ///< empty: it takes none
    std::function<void(Options&, const std::string&)> read; ///< throws std::invalid_argument
    std::function<std::string(const Options&)> write;       ///< empty: not set
};

/// Who looks at an option.
enum class Use
{
    ALWAYS,
    COMPUTED,  ///< steps that are generated or those of an operator graph
    GENERATED, ///< steps that are generated
    SCALE_UP,  ///< those, and imported ones
    CONTEXT,   ///< those, with context parallel groups
    EXPERTS,   ///< those, with expert parallel groups
    SHARDED,   ///< steps that are generated, with parameters that are sharded
    REPLICAS,  ///< those, with gradients that replicas reduce whole
    VOLUMES,   ///< steps that are generated, and traces without bytes
    SAMPLES,   ///< those, and operator graphs
    TOKENS,    ///< those, if samples have tokens
    OPERATORS, ///< operator graphs
    REPLAY,    ///< traces
    IMPORT,    ///< steps of other programs
    IDEAL,     ///< ideal packet switches
    SWITCHES,  ///< packet switches with finite buffers
    TIERS,     ///< fabrics of several tiers of them
    ORDER,     ///< fabrics without rails where it matters who is next to whom
    SIP,       ///< GPUs that split wavelengths over their peers
    PARALLEL,  ///< those on parallel circuit switches
    RING,      ///< those on rings
    EPOCHS,    ///< those that are tuned again and again
    CIRCUITS,  ///< photonic rails
    STATIC,    ///< circuits that stay for the whole job
    CHANGES,   ///< circuits that change during the job
    DELAY,     ///< those, and wavelengths that are tuned again
    MESSAGES,  ///< control messages that take time
    PROFILING, ///< provisioning
    FAULTS,    ///< whoever is given it
    REPORT,    ///< changes no result
};

/// Values of an option that is on without one.
const char* const ON_OR_OFF = "on|off";

/// An option of the command line.
struct Option
{
    std::string name;
    Form form;
    Use use;
    std::string meaning;
    std::string standard; ///< the default in words, where Options does not say it
};

/// @return all options, in the order in which they are read: overrides after what they override
const std::vector<Option>& GetOptionTable();

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_OPTIONS_TABLE_H

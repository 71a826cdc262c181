/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CHAKRA_TRACE_H
#define PHOTONIC_CHAKRA_TRACE_H

#include "ns3/collective-kind.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief What a node of a Chakra trace is, with the numbers of MLCommons Chakra's schema.
 */
enum class ChakraNodeType : int32_t
{
    INVALID = 0, ///< also that of a node which does not say
    METADATA = 1,
    MEMORY_LOAD = 2,
    MEMORY_STORE = 3,
    COMPUTE = 4,
    SEND = 5,
    RECEIVE = 6,
    COLLECTIVE = 7,
};

/**
 * @ingroup photonic-rails-workload
 * @brief A named value.
 */
struct ChakraAttribute
{
    /// The first: one of another kind than these, a list for example.
    using Value = std::variant<std::monostate, bool, int32_t, int64_t, uint64_t, std::string>;

    /// As the Chakra schema or its writer calls it.
    std::string name;
    /// Of one of the types of the schema.
    Value value;
};

/**
 * @ingroup photonic-rails-workload
 * @brief What has named values.
 */
struct ChakraAttributes
{
    /// In the order of the file.
    std::vector<ChakraAttribute> attributes;

    /**
     * @param attribute a name
     * @return the number, if there is such an attribute
     * @throws std::invalid_argument "attribute NAME is not ..." if it is no number from 0 on
     */
    std::optional<uint64_t> GetNumber(const std::string& attribute) const;

    /**
     * @param attribute a name
     * @return the text, if there is such an attribute
     * @throws std::invalid_argument "attribute NAME is not a text" if it is none
     */
    std::optional<std::string> GetText(const std::string& attribute) const;

    /**
     * @param attribute a name
     * @return whether there is such an attribute, and it is true
     * @throws std::invalid_argument "attribute NAME is not true or false" if it is neither
     */
    bool IsSet(const std::string& attribute) const;

  private:
    /// @return value of the attribute, null if there is none
    const ChakraAttribute::Value* Find(const std::string& attribute) const;
};

/**
 * @ingroup photonic-rails-workload
 * @brief A node of a Chakra trace: something that a rank does, once others are done.
 */
struct ChakraNode : ChakraAttributes
{
    /// Unique in the trace.
    uint64_t id{0};
    /// For people.
    std::string name;
    /// Of the schema's NodeType.
    ChakraNodeType type{ChakraNodeType::INVALID};
    std::vector<uint64_t> controlDependencies; ///< identifiers of nodes
    std::vector<uint64_t> dataDependencies;    ///< identifiers of nodes
    /// In us, rounded as the writer did.
    uint64_t durationMicros{0};

    /// @return "node 3 (its name)", the beginning of a long one
    std::string Describe() const;
};

/**
 * @ingroup photonic-rails-workload
 * @brief What one rank does, as a graph. Attributes are of the whole.
 */
struct ChakraTrace : ChakraAttributes
{
    /// Of the schema, as its writer states it.
    std::string version;
    /// In the order of the file.
    std::vector<ChakraNode> nodes;
};

/// Attributes that only this module writes, so that what it reads again is what it wrote.
namespace ChakraNames
{
constexpr const char* NODES = "rails_nodes";          ///< of a trace: how many nodes it has
constexpr const char* DURATION = "rails_duration_ps"; ///< of a computation
constexpr const char* BYTES = "rails_total_bytes";    ///< as in CollectiveKind
constexpr const char* SLOT = "rails_slot";            ///< name of the GroupSlot
constexpr const char* PARALLELISM = "rails_counted";  ///< name of the Parallelism
constexpr const char* BATCHED = "rails_batched_with"; ///< other half of a SEND_RECEIVE
} // namespace ChakraNames

/// @param kind a collective @return Chakra's number for it, if it has one
std::optional<uint64_t> GetChakraCommType(CollectiveKind kind);

/// @param type Chakra's number of a collective @return which, if this module has it
std::optional<CollectiveKind> FromChakraCommType(uint64_t type);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CHAKRA_TRACE_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "chakra-file.h"
#include "chakra.pb.h"

#include "ns3/input-text.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ns3
{
namespace photonic
{

namespace
{

/// The messages of a file, one after another.
class Messages
{
  public:
    Messages(std::istream& is, const std::string& name, const ChakraLimits& limits)
        : m_is(is),
          m_name(name),
          m_limits(limits)
    {
    }

    bool AtEnd()
    {
        return m_is.peek() == std::istream::traits_type::eof();
    }

    /// Read the next one into a message of its type.
    template <typename Message>
    void Take(Message& message)
    {
        m_begin = m_next;
        const uint64_t length = TakeLength();
        m_bytes.resize(length);
        m_is.read(m_bytes.data(), static_cast<std::streamsize>(length));
        const auto left = static_cast<uint64_t>(m_is.gcount());
        if (length > left)
        {
            Fail("is cut off: " + std::to_string(length) + " bytes are announced, " +
                 std::to_string(left) + " follow; expected a whole message");
        }
        m_next += length;
        if (m_next > m_limits.bytes)
        {
            Fail("is behind what a file may have: expected at most " +
                 std::to_string(m_limits.bytes) + " bytes");
        }
        if (!message.ParseFromArray(m_bytes.data(), static_cast<int>(length)))
        {
            Fail("is not a valid protocol buffer, expected that of MLCommons Chakra");
        }
        m_number++;
    }

    /// @param found of something in the message that was read last @param most that may be
    /// @param what it is
    void Limit(std::size_t found, std::size_t most, const std::string& what) const
    {
        if (found > most)
        {
            throw std::invalid_argument(m_name + ": message " + std::to_string(m_number - 1) +
                                        " from byte " + std::to_string(m_begin) + " on has " +
                                        what + " " + std::to_string(found) + ", expected at most " +
                                        std::to_string(most));
        }
    }

    /// @param what is wrong with the message that was begun last
    [[noreturn]] void Fail(const std::string& what) const
    {
        throw std::invalid_argument(m_name + ": message " + std::to_string(m_number) +
                                    " from byte " + std::to_string(m_begin) + " on " + what);
    }

  private:
    uint64_t TakeLength()
    {
        uint64_t length = 0;
        for (uint32_t shift = 0; shift < 35; shift += 7) // 32 bits, as in other readers
        {
            if (AtEnd())
            {
                Fail("is cut off in its length, expected a varint");
            }
            const auto byte = static_cast<unsigned char>(m_is.get());
            m_next++;
            length |= uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80)
            {
                if (length > m_limits.message)
                {
                    break;
                }
                return length;
            }
        }
        Fail("has a malformed length: expected a varint up to " + std::to_string(m_limits.message));
    }

    std::istream& m_is;
    const std::string& m_name;
    const ChakraLimits& m_limits;
    std::string m_bytes; ///< of a message
    uint64_t m_next{0};
    uint64_t m_begin{0};
    std::size_t m_number{0}; ///< of messages taken
};

ChakraAttribute
FromProto(const photonic_rails::chakra::AttributeProto& proto)
{
    using Proto = photonic_rails::chakra::AttributeProto;
    ChakraAttribute attribute;
    attribute.name = proto.name();
    switch (proto.value_case())
    {
    case Proto::kInt32Val:
        attribute.value = proto.int32_val();
        break;
    case Proto::kInt64Val:
        attribute.value = int64_t{proto.int64_val()};
        break;
    case Proto::kUint32Val:
        attribute.value = uint64_t{proto.uint32_val()};
        break;
    case Proto::kUint64Val:
        attribute.value = uint64_t{proto.uint64_val()};
        break;
    case Proto::kSint32Val:
        attribute.value = proto.sint32_val();
        break;
    case Proto::kSint64Val:
        attribute.value = int64_t{proto.sint64_val()};
        break;
    case Proto::kFixed32Val:
        attribute.value = uint64_t{proto.fixed32_val()};
        break;
    case Proto::kFixed64Val:
        attribute.value = uint64_t{proto.fixed64_val()};
        break;
    case Proto::kSfixed32Val:
        attribute.value = proto.sfixed32_val();
        break;
    case Proto::kSfixed64Val:
        attribute.value = int64_t{proto.sfixed64_val()};
        break;
    case Proto::kBoolVal:
        attribute.value = proto.bool_val();
        break;
    case Proto::kStringVal:
        attribute.value = OneLine(proto.string_val());
        break;
    case Proto::VALUE_NOT_SET:
        break;
    }
    return attribute;
}

/// Puts a value where the schema has its kind. Readers of other programs look for exactly that.
struct ValueWriter
{
    photonic_rails::chakra::AttributeProto& proto;

    void operator()(std::monostate) const
    {
    }

    void operator()(bool value) const
    {
        proto.set_bool_val(value);
    }

    void operator()(int32_t value) const
    {
        proto.set_int32_val(value);
    }

    void operator()(int64_t value) const
    {
        proto.set_int64_val(value);
    }

    void operator()(uint64_t value) const
    {
        proto.set_uint64_val(value);
    }

    void operator()(const std::string& value) const
    {
        proto.set_string_val(value);
    }
};

void
ToProto(const ChakraAttribute& attribute, photonic_rails::chakra::AttributeProto& proto)
{
    proto.set_name(attribute.name);
    std::visit(ValueWriter{proto}, attribute.value);
}

/// Notice nodes that are missing at the end.
void
CheckCount(const ChakraTrace& trace, const std::string& name)
{
    std::optional<uint64_t> announced;
    try
    {
        announced = trace.GetNumber(ChakraNames::NODES);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(name + ": metadata: " + error.what() +
                                    ", expected that of nodes");
    }
    if (announced && *announced != trace.nodes.size())
    {
        throw std::invalid_argument(name + ": has " + std::to_string(trace.nodes.size()) +
                                    " nodes, but its metadata announces " +
                                    std::to_string(*announced) + ": expected as many");
    }
}

/// Refuse what begins as gzip's files do.
void
CheckCompression(std::istream& is, const std::string& name)
{
    if (is.peek() != 0x1f)
    {
        return;
    }
    is.get();
    const bool compressed = is.peek() == 0x8b;
    is.clear(); // where that was the last byte
    if (compressed)
    {
        throw std::invalid_argument(name + ": is compressed: expected what gunzip makes of it");
    }
    is.putback(0x1f);
}

/// Write a message after its length.
void
Put(std::ostream& os, const std::string& message)
{
    uint64_t length = message.size();
    for (; length >= 0x80; length >>= 7)
    {
        os.put(static_cast<char>(length | 0x80));
    }
    os.put(static_cast<char>(length));
    os.write(message.data(), message.size());
}

} // namespace

void
RequireChakra()
{
}

ChakraTrace
ReadChakraTrace(std::istream& is, const std::string& name, const ChakraLimits& limits)
{
    Messages messages(is, name, limits);
    if (messages.AtEnd())
    {
        throw std::invalid_argument(name +
                                    ": cannot be read, or is empty: expected a Chakra trace");
    }
    CheckCompression(is, name);
    photonic_rails::chakra::GlobalMetadata metadata;
    messages.Take(metadata);
    if (metadata.type_of_a_node() != 0)
    {
        throw std::invalid_argument(name + ": does not begin with the metadata of a Chakra trace, "
                                           "which is expected");
    }
    messages.Limit(metadata.attr_size(), limits.nodeAttributes, "attributes:");
    ChakraTrace trace;
    trace.version = metadata.version();
    for (const auto& proto : metadata.attr())
    {
        trace.attributes.push_back(FromProto(proto));
    }
    std::size_t attributes = 0;
    std::size_t dependencies = 0;
    photonic_rails::chakra::Node node; // keeps its memory
    while (!messages.AtEnd())
    {
        messages.Take(node);
        attributes += node.attr_size();
        dependencies += node.ctrl_deps_size() + node.data_deps_size();
        messages.Limit(trace.nodes.size() + 1, limits.nodes, "the node");
        messages.Limit(node.attr_size(), limits.nodeAttributes, "attributes:");
        messages.Limit(attributes, limits.attributes, "with those before it attributes:");
        messages.Limit(dependencies, limits.dependencies, "with those before it dependencies:");
        ChakraNode& read = trace.nodes.emplace_back();
        read.id = node.id();
        read.name = OneLine(node.name());
        read.type = static_cast<ChakraNodeType>(node.type());
        read.controlDependencies.assign(node.ctrl_deps().begin(), node.ctrl_deps().end());
        read.dataDependencies.assign(node.data_deps().begin(), node.data_deps().end());
        read.durationMicros = node.duration_micros();
        for (const auto& proto : node.attr())
        {
            read.attributes.push_back(FromProto(proto));
        }
    }
    CheckCount(trace, name);
    return trace;
}

ChakraTrace
ReadChakraTrace(const std::string& file)
{
    std::ifstream is(file, std::ios::binary);
    return ReadChakraTrace(is, file);
}

void
WriteChakraTrace(std::ostream& os, const ChakraTrace& trace)
{
    photonic_rails::chakra::GlobalMetadata metadata;
    metadata.set_version(trace.version);
    for (const auto& attribute : trace.attributes)
    {
        ToProto(attribute, *metadata.add_attr());
    }
    ToProto({ChakraNames::NODES, uint64_t{trace.nodes.size()}}, *metadata.add_attr());
    Put(os, metadata.SerializeAsString());
    for (const auto& node : trace.nodes)
    {
        photonic_rails::chakra::Node proto;
        proto.set_id(node.id);
        proto.set_name(node.name);
        proto.set_type(static_cast<int32_t>(node.type));
        proto.mutable_ctrl_deps()->Add(node.controlDependencies.begin(),
                                       node.controlDependencies.end());
        proto.mutable_data_deps()->Add(node.dataDependencies.begin(), node.dataDependencies.end());
        proto.set_duration_micros(node.durationMicros);
        for (const auto& attribute : node.attributes)
        {
            ToProto(attribute, *proto.add_attr());
        }
        Put(os, proto.SerializeAsString());
    }
}

} // namespace photonic
} // namespace ns3

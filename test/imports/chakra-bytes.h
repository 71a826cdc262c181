/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CHAKRA_BYTES_H
#define PHOTONIC_CHAKRA_BYTES_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * Files of Chakra traces, byte by byte: an encoder of protocol buffers that shares nothing with the
 * library. Field numbers are those of MLCommons Chakra's schema.
 */
namespace ChakraBytes
{

/// @param value a number @return it in base 128, the lowest digit first
inline std::string
Varint(uint64_t value)
{
    std::string bytes;
    for (; value > 127; value /= 128)
    {
        bytes += static_cast<char>(128 + value % 128);
    }
    return bytes + static_cast<char>(value);
}

/// @param field number @param value of a varint field @return the field
inline std::string
Number(uint32_t field, uint64_t value)
{
    return Varint(field * 8) + Varint(value);
}

/// @param field number @param content of a text, a message or packed numbers @return the field
inline std::string
Block(uint32_t field, const std::string& content)
{
    return Varint(field * 8 + 2) + Varint(content.size()) + content;
}

/// @param message a message @return it as it stands in a file
inline std::string
Framed(const std::string& message)
{
    return Varint(message.size()) + message;
}

/// @param name of an attribute @param value of an int64 @return the attribute of a node
inline std::string
Int64(const std::string& name, uint64_t value)
{
    return Block(10, Block(1, name) + Number(9, value));
}

inline std::string
Int32(const std::string& name, uint64_t value)
{
    return Block(10, Block(1, name) + Number(7, value));
}

inline std::string
Text(const std::string& name, const std::string& value)
{
    return Block(10, Block(1, name) + Block(29, value));
}

inline std::string
Bool(const std::string& name, bool value)
{
    return Block(10, Block(1, name) + Number(27, value));
}

/// The metadata of a trace that does not count its nodes.
inline std::string
Metadata()
{
    return Framed(Block(1, "0.0.4"));
}

/**
 * @param id of the node
 * @param type Chakra's number
 * @param after identifiers of nodes that it depends on
 * @param rest further fields
 * @return the node, as it stands in a file; its name is "n" and its identifier
 */
inline std::string
Node(uint64_t id,
     uint32_t type,
     const std::vector<uint64_t>& after = {},
     const std::string& rest = "")
{
    std::string packed;
    for (uint64_t dependency : after)
    {
        packed += Varint(dependency);
    }
    return Framed(Number(1, id) + Block(2, "n" + std::to_string(id)) + Number(3, type) +
                  (packed.empty() ? "" : Block(5, packed)) + rest);
}

/// A computation of so many microseconds.
inline std::string
Computation(uint64_t id, uint64_t micros, const std::vector<uint64_t>& after = {})
{
    return Node(id, 4, after, Number(7, micros));
}

/// A collective of Chakra's type, without process group: of all ranks.
inline std::string
Collective(uint64_t id,
           uint64_t type,
           uint64_t bytes,
           const std::vector<uint64_t>& after = {},
           const std::string& rest = "")
{
    return Node(id, 7, after, Int64("comm_type", type) + Int64("comm_size", bytes) + rest);
}

inline std::string
Send(uint64_t id,
     uint32_t to,
     uint64_t bytes,
     uint32_t tag,
     const std::vector<uint64_t>& after = {})
{
    return Node(id,
                5,
                after,
                Int64("comm_size", bytes) + Int32("comm_dst", to) + Int32("comm_tag", tag));
}

inline std::string
Receive(uint64_t id,
        uint32_t from,
        uint64_t bytes,
        uint32_t tag,
        const std::vector<uint64_t>& after = {})
{
    return Node(id,
                6,
                after,
                Int64("comm_size", bytes) + Int32("comm_src", from) + Int32("comm_tag", tag));
}

} // namespace ChakraBytes

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CHAKRA_BYTES_H

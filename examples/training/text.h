/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_TEXT_H
#define PHOTONIC_TRAINING_TEXT_H

#include "ns3/nstime.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/// @param time a time @return it in seconds, exactly, as a decimal number
std::string InSeconds(Time time);

/// @param time a time @return it in milliseconds, exactly, as a decimal number
std::string InMilliseconds(Time time);

/// @param value finite @return a decimal number, the same on every machine
std::string Number(double value);

/**
 * Writes JSON, indented, members in the order in which they are given.
 */
class JsonWriter
{
  public:
    explicit JsonWriter(std::ostream& os);

    void BeginObject(const std::string& name = "");
    void EndObject();
    /// @param name of a member @param text its value, which is a number already
    void Member(const std::string& name, const std::string& number);
    void Member(const std::string& name, uint64_t value);
    void Text(const std::string& name, const std::string& text);
    /// @param name of a member @param numbers its elements
    void Array(const std::string& name, const std::vector<std::string>& numbers);

  private:
    void Begin(const std::string& name);

    std::ostream& m_os;
    int m_depth{0};
    bool m_first{true};
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_TEXT_H

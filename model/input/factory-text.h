/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_FACTORY_TEXT_H
#define PHOTONIC_FACTORY_TEXT_H

#include "ns3/object-factory.h"
#include "ns3/type-id.h"

#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-input
 * @brief Read the name of a class, with attributes, where ns-3 itself would end the program for
 * some that are wrong.
 *
 * Attributes are numbers, texts, enumerators, times, rates, or objects whose attributes are such.
 *
 * @param text name of a TypeId, and its attributes in brackets if any are to be set:
 *        "ns3::MyClass[Arms=2|First=pp]"
 * @param parent of the class
 * @param expected what to say is expected, if there is no such class
 * @return what makes such objects
 * @throws std::invalid_argument with one line that says what was found and what is expected
 */
ObjectFactory ReadFactory(const std::string& text, TypeId parent, const std::string& expected);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_FACTORY_TEXT_H

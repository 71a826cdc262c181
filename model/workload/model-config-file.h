/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_MODEL_CONFIG_FILE_H
#define PHOTONIC_MODEL_CONFIG_FILE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief The members of the outermost object of a config.json, with errors that say where.
 *
 * All errors are std::invalid_argument and name file, line, key, what was found and what was
 * expected.
 */
class ModelConfigFile
{
  public:
    static constexpr std::size_t MAX_BYTES = 1 << 20; ///< of a file
    static constexpr std::size_t MAX_DEPTH = 64;      ///< objects and arrays inside each other

    /**
     * @param name of the file, or of what else the text is from, for errors
     * @param text of the file, one JSON object
     */
    ModelConfigFile(const std::string& name, const std::string& text);

    /// @param file path @return what it holds
    static ModelConfigFile Load(const std::string& file);

    /// @return name of the file
    const std::string& GetName() const;

    /// @param key name @return whether there is such a member, and it is not null
    bool Has(const std::string& key) const;

    /// @param key name @return whether there is such a member, be it null
    bool Mentions(const std::string& key) const;

    /**
     * @param key name
     * @param limit largest sensible value
     * @param least smallest one
     * @return a number in [least, limit]
     */
    uint32_t GetNumber(const std::string& key, uint32_t limit, uint32_t least = 1) const;

    /// @param key name @param limit largest sensible number @return the numbers of an array
    std::vector<uint32_t> GetNumbers(const std::string& key, uint32_t limit) const;

    /// @param key of a present member @return its text, without quotation marks
    std::string GetText(const std::string& key) const;

    /// @param key of a member that may be absent @return its value, false if it is absent
    bool GetFlag(const std::string& key) const;

    /// @param key of a present member @param expected ", expected ..."
    [[noreturn]] void Fail(const std::string& key, const std::string& expected) const;

    /// @param key of an absent member @param expected ", expected ..."
    [[noreturn]] void FailMissing(const std::string& key, const std::string& expected) const;

  private:
    /// A member as it stands in the text.
    struct Member
    {
        std::size_t line;  ///< from 1
        std::string value; ///< a whole scalar; an array up to its first "]"; "{" of an object
    };

    /**
     * The parser forgets whether a value was a string or a number, and where it stood; this
     * remembers.
     * @param text of an object, known to be valid JSON
     * @return the members of the outermost object; the last one of a name counts
     */
    static std::map<std::string, Member> Scan(const std::string& text);

    /// @param text any; refused if it is larger or deeper than a parser can take
    void CheckLimits(const std::string& text) const;

    std::string m_name;
    std::map<std::string, Member> m_members;
    std::size_t m_lines; ///< in the text: where a missing key is reported
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_MODEL_CONFIG_FILE_H

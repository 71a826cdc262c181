/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_PHASE_PROFILE_H
#define PHOTONIC_PHASE_PROFILE_H

#include "ns3/input-text.h"
#include "ns3/step-program.h"

#include <cstdint>
#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-opus
 * @brief What the shims of a job have learned: each rank's operations, and which open a phase.
 *
 * The file is text. Ranks with the same sequence share it:
 * @verbatim
photonic-rails-profile 1
fingerprint llama3-8b tp 4 pp 2 ...
ranks 16
sequences 2
sequence 0 3
fsdp 0 open
pp-next 0 open
pp-next 1 -
sequence 1 1
pp-previous 0 open
members 0 7 0
members 8 15 1
@endverbatim
 * "sequence" gives number and length, "members" a first and last rank and the number of their
 * sequence. Lines stand in this order; there are no others.
 */
class PhaseProfile
{
  public:
    /// What a file may have at most: 1 GiB, 64 KiB in a line, 60 million lines.
    static constexpr LineReader::Limits LIMITS{1 << 30, 1 << 16, 60'000'000};
    static constexpr uint32_t MAX_RANKS = 1'000'000;       ///< that a file is for
    static constexpr uint64_t MAX_OPERATIONS = 50'000'000; ///< of all sequences of a file

    /// An operation of a rank, in program order.
    struct Entry
    {
        /// Kind of the group.
        GroupSlot slot;
        uint32_t counter; ///< in its group within the step
        bool opens;       ///< a phase, at any member of the group

        /// @param o another entry @return whether they are the same
        bool operator==(const Entry& o) const
        {
            return slot == o.slot && counter == o.counter && opens == o.opens;
        }
    };

    /// A rank's scale-out operations of a step.
    using Sequence = std::vector<Entry>;

    /**
     * @param fingerprint one line that says which job this is
     * @throws std::invalid_argument if it is more than a line
     */
    explicit PhaseProfile(const std::string& fingerprint);

    /// @param rank which @param sequence what it does; equal ones are kept once
    void SetSequence(uint32_t rank, const Sequence& sequence);

    /// @param rank which @return what it does @throws std::invalid_argument if it is not known
    const Sequence& GetSequence(uint32_t rank) const;

    /// @return of the job that it is for
    const std::string& GetFingerprint() const;
    /// @return ranks that it is for
    std::size_t GetRanks() const;
    /// @return different orders of operations among them
    std::size_t GetDistinctSequences() const;

    /**
     * Write a file, whole or not at all: it gets its name when it is complete.
     * @param file its name
     * @throws std::runtime_error that names the file
     */
    void Save(const std::string& file) const;

    /// @param os where it is written to, as in a file
    void Write(std::ostream& os) const;

    /**
     * @param file its name
     * @param fingerprint of the job that wants it
     * @return the profile
     * @throws std::invalid_argument that names file, line, what was found and what was expected
     */
    static PhaseProfile Load(const std::string& file, const std::string& fingerprint);

    /**
     * @param is text of a file
     * @param name of the file, for errors
     * @param fingerprint of the job that wants it
     * @param limits of the text
     * @return the profile; errors as above
     */
    static PhaseProfile Read(std::istream& is,
                             const std::string& name,
                             const std::string& fingerprint,
                             const LineReader::Limits& limits = LIMITS);

  private:
    std::string m_fingerprint;
    std::vector<Sequence> m_sequences;
    std::map<uint32_t, std::size_t> m_ranks; ///< index of each rank's sequence
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_PHASE_PROFILE_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_CHROME_TRACE_H
#define PHOTONIC_CHROME_TRACE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-helper
 * @brief Writes the JSON array form of the Chrome trace event format, which Perfetto and
 * chrome://tracing open (D. Sinclair, "Trace Event Format", Google, 2016).
 *
 * One event a line, written as it comes, in any order of time. The format does not ask for the
 * bracket that Close() writes, so that what a run has written when it is interrupted can be opened
 * up to its last whole line. Times are whole nanoseconds, the viewers' resolution.
 */
class ChromeTrace
{
  public:
    /// A row of the picture.
    struct Lane
    {
        /// Row of rows that it belongs to.
        uint32_t process{0};
        /// Number in that one, from 1; 0: none.
        uint32_t thread{0};
    };

    /// Names and values that a viewer shows of a selected event.
    class Arguments
    {
      public:
        /// @param name of a value @param value it @return these
        Arguments& Add(const std::string& name, uint64_t value);
        /// @param name of a value @param value it @return these
        Arguments& Add(const std::string& name, const std::string& value);

      private:
        friend class ChromeTrace;
        std::string m_text;
    };

    /// @param os gets the trace, and must outlive this
    explicit ChromeTrace(std::ostream& os);

    /**
     * @param name of a group of rows @param order its place among groups
     * @return it
     */
    uint32_t AddProcess(const std::string& name, uint32_t order);

    /**
     * @param process group of the row @param name of the row @param order its place in the group
     * @return the row
     */
    Lane AddLane(uint32_t process, const std::string& name, uint32_t order);

    /// A part of a bar, which follows the one before.
    struct Part
    {
        const char* name; ///< of it
        Time end;         ///< of it; parts that end before they start are left out
    };

    /**
     * A bar. Those of one lane come in order and do not overlap; see ChromeTrack. What takes no
     * time is drawn as long as a nanosecond, so that arrows have something to start and to end at.
     * @param lane where
     * @param name of the bar @param category of it
     * @param start of it @param end of it
     * @param arguments of it
     * @param parts of it, drawn below it
     */
    void AddSlice(const Lane& lane,
                  const std::string& name,
                  const char* category,
                  Time start,
                  Time end,
                  const Arguments& arguments = Arguments(),
                  const std::vector<Part>& parts = {});

    /**
     * An arrow between two bars, which are written already.
     * @param name of the arrow
     * @param from lane of the first bar @param start an instant in it, its end excluded
     * @param to lane of the second bar @param end an instant in it, its end excluded; not before
     *        the start
     */
    void AddArrow(const char* name, const Lane& from, Time start, const Lane& to, Time end);

    /// Write the end of the trace. Nothing can be added then.
    void Close();

    /**
     * @param start of a bar @param end of it
     * @return its last instant that belongs to it, for arrows
     */
    static Time GetLast(Time start, Time end);

  private:
    void Begin(const char* phase, const Lane& lane);
    void BeginBar(const Lane& lane, const std::string& name, const char* category, int64_t start);
    void EndBar(const Lane& lane, int64_t end);
    void Describe(const char* what, const Lane& lane, const std::string& name, uint32_t order);

    std::ostream& m_os;
    bool m_first{true};
    uint64_t m_arrows{0};
    std::vector<uint32_t> m_lanes; ///< by process: how many
};

/**
 * @ingroup photonic-rails-helper
 * @brief Rows of a ChromeTrace for bars that may overlap: as many as are needed.
 */
class ChromeTrack
{
  public:
    /**
     * @param process group of the rows @param name of the first row
     * @param order place of it in the group
     */
    ChromeTrack(uint32_t process, const std::string& name, uint32_t order);

    /**
     * @param trace that gets a row, if all are taken
     * @param start of a bar @param end of it
     * @return the row that is taken now
     */
    ChromeTrace::Lane Take(ChromeTrace& trace, Time start, Time end);

  private:
    /// A row, and since when it is free.
    struct Row
    {
        ChromeTrace::Lane lane;
        Time free;
    };

    uint32_t m_process;
    std::string m_name;
    uint32_t m_order;
    std::vector<Row> m_rows;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_CHROME_TRACE_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_OUTPUT_DIRECTORY_H
#define PHOTONIC_TRAINING_OUTPUT_DIRECTORY_H

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>

namespace ns3
{
namespace photonic
{

/// Output cannot be written; says which file and why.
class OutputError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// @param path of a file that is to be written as the run goes on @return it @throws OutputError
std::ofstream OpenOutput(const std::string& path);

/// Hand over to the operating system what was written.
/// @param file that was written @param path of it @throws OutputError
void FlushOutput(std::ofstream& file, const std::string& path);

/**
 * A file of comma-separated rows that is written as the run goes on, and is valid whenever the run
 * ends, be it by a signal: whole rows are handed over in batches, and what does not fit on a full
 * disk is taken back to the last whole row.
 */
class CsvFile
{
  public:
    /// @param path of the file @param header its first line @throws OutputError
    CsvFile(const std::string& path, const std::string& header);

    /// @param row a line without its end @throws OutputError
    void Write(const std::string& row);

    /// Hand over to the operating system what was written. @throws OutputError
    void Flush();

  private:
    std::string m_path;
    std::ofstream m_file; ///< without a buffer, which would be cut anywhere
    std::string m_rows;   ///< not handed over yet
    uint64_t m_size{0};   ///< of the rows in the file
};

/// @param path of a directory to be made, with its parents, unless it exists @throws OutputError
void MakeDirectory(const std::string& path);

/**
 * Write a file whole or not at all.
 * @param path of the file @param content of it
 * @throws OutputError
 */
void WriteWhole(const std::string& path, const std::string& content);

/**
 * Hand over what std::cout has got. The reason that an error names is the last one since errno was
 * 0.
 * @throws OutputError
 */
void FlushStandardOutput();

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_OUTPUT_DIRECTORY_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRAINING_OUTPUT_DIRECTORY_H
#define PHOTONIC_TRAINING_OUTPUT_DIRECTORY_H

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
 * ends: whole rows, flushed in batches.
 */
class CsvFile
{
  public:
    /// @param path of the file @param header its first line @throws OutputError
    CsvFile(const std::string& path, const std::string& header);

    /// @param row a line without its end
    void Write(const std::string& row);

    /// Hand over to the operating system what was written. @throws OutputError
    void Flush();

  private:
    std::string m_path;
    std::ofstream m_file;
};

/// @param path of a directory to be made, with its parents, unless it exists @throws OutputError
void MakeDirectory(const std::string& path);

/**
 * Write a file whole or not at all.
 * @param path of the file @param content of it
 * @throws OutputError
 */
void WriteWhole(const std::string& path, const std::string& content);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRAINING_OUTPUT_DIRECTORY_H

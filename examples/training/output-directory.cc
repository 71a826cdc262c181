/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "output-directory.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace ns3
{
namespace photonic
{

namespace
{

[[noreturn]] void
Fail(const std::string& path, const std::string& what)
{
    const int error = errno;
    throw OutputError(path + ": " + what + (error ? std::string(": ") + std::strerror(error) : ""));
}

} // namespace

std::ofstream
OpenOutput(const std::string& path)
{
    errno = 0;
    std::ofstream file(path, std::ios::trunc);
    if (!file)
    {
        Fail(path, "cannot be written");
    }
    return file;
}

void
FlushOutput(std::ofstream& file, const std::string& path)
{
    errno = 0;
    file.flush();
    if (!file)
    {
        Fail(path, "writing failed");
    }
}

CsvFile::CsvFile(const std::string& path, const std::string& header)
    : m_path(path),
      m_file(OpenOutput(path))
{
    Write(header);
    Flush();
}

void
CsvFile::Write(const std::string& row)
{
    m_file << row << '\n';
}

void
CsvFile::Flush()
{
    FlushOutput(m_file, m_path);
}

void
MakeDirectory(const std::string& path)
{
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error || !std::filesystem::is_directory(path))
    {
        errno = 0;
        Fail(path, "cannot be made a directory: " + (error ? error.message() : "it is a file"));
    }
}

void
WriteWhole(const std::string& path, const std::string& content)
{
    const std::string unfinished = path + ".tmp";
    errno = 0;
    std::ofstream file(unfinished, std::ios::trunc);
    file << content;
    file.close();
    if (!file)
    {
        const int error = errno;
        std::remove(unfinished.c_str());
        errno = error;
        Fail(path, "cannot be written");
    }
    if (std::rename(unfinished.c_str(), path.c_str()) != 0)
    {
        Fail(path, "cannot be written");
    }
}

} // namespace photonic
} // namespace ns3

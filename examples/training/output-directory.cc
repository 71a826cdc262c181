/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "output-directory.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

namespace ns3
{
namespace photonic
{

namespace
{

/// Bytes of rows that wait to be handed over.
constexpr std::size_t BATCH = 1 << 16;

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
    : m_path(path)
{
    errno = 0;
    m_file.rdbuf()->pubsetbuf(nullptr, 0);
    m_file.open(path, std::ios::trunc);
    if (!m_file)
    {
        Fail(path, "cannot be written");
    }
    Write(header);
    Flush();
}

void
CsvFile::Write(const std::string& row)
{
    m_rows += row;
    m_rows += '\n';
    if (m_rows.size() >= BATCH)
    {
        Flush();
    }
}

void
CsvFile::Flush()
{
    errno = 0;
    m_file.write(m_rows.data(), static_cast<std::streamsize>(m_rows.size()));
    if (!m_file)
    {
        const int error = errno;
        std::error_code ignored; // no file, but a device, say
        std::filesystem::resize_file(m_path, m_size, ignored);
        errno = error;
        Fail(m_path, "writing failed");
    }
    m_size += m_rows.size();
    m_rows.clear();
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
        const int error = errno;
        std::remove(unfinished.c_str());
        errno = error;
        Fail(path, "cannot be written");
    }
}

void
FlushStandardOutput()
{
    std::cout << std::flush;
    if (!std::cout)
    {
        Fail("standard output", "cannot be written");
    }
}

} // namespace photonic
} // namespace ns3

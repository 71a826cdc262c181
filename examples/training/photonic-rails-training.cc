/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Simulates training steps of a language model on photonic or electrical rails. See --help.
 */
#include "comparison.h"
#include "options.h"
#include "run-report.h"
#include "training-run.h"

#include <cerrno>
#include <csignal>
#include <iostream>
#include <sstream>
#include <unistd.h>

using namespace ns3;
using namespace ns3::photonic;

namespace
{

enum ExitCode
{
    DONE = 0,
    BAD_INPUT = 2,
    STALLED = 3,
    OUTPUT_FAILED = 4,
};

bool g_speaks = true; ///< of several processes one

int
Fail(ExitCode code, const std::string& what)
{
    if (g_speaks)
    {
        std::cerr << "photonic-rails-training: " << what << std::endl;
    }
    return code;
}

/// What has been written is valid at any time, so a signal need not wait. @param signal SIGINT or
/// SIGTERM
extern "C" void
Interrupted(int signal)
{
    if (g_speaks)
    {
        constexpr char TEXT[] = "photonic-rails-training: interrupted\n";
        const auto written = write(STDERR_FILENO, TEXT, sizeof(TEXT) - 1);
        static_cast<void>(written); // nobody to tell
    }
    _exit(128 + signal);
}

void
Warn(const std::string& what)
{
    std::cerr << "photonic-rails-training: " << what << std::endl;
}

int
DescribeStall(const TrainingRun& run)
{
    Fail(STALLED, "the job cannot go on");
    for (const auto& line : run.DescribeStall())
    {
        std::cerr << "  " << line << std::endl;
    }
    return STALLED;
}

/// Take part in the simulation of what the options ask for; another process reports it.
int
TakePart(TrainingRun& run)
{
    return run.Simulate(nullptr) ? DONE : DescribeStall(run);
}

/// Simulate what the options ask for, and report it.
int
Run(const Options& options, TrainingRun& run)
{
    for (const auto& note : GetUnusedOptionNotes(options))
    {
        Warn(note);
    }
    for (const auto& warning : run.GetWarnings())
    {
        Warn("warning: " + warning);
    }
    run.Export();
    std::unique_ptr<RunFiles> files;
    if (!options.output.empty())
    {
        files = std::make_unique<RunFiles>(options.output,
                                           run.HasController(),
                                           run.GetProfilingSteps());
    }
    errno = 0;
    PrintConfiguration(std::cout, options);
    if (options.dumpProgram)
    {
        for (std::size_t stage = 0; stage < run.GetPrograms().size(); stage++)
        {
            std::cout << "\nprogram of stage " << stage << "\n";
            run.GetPrograms()[stage]->Dump(std::cout);
        }
    }
    FlushStandardOutput(); // before the hours that the simulation may take
    if (!run.Simulate(files.get()))
    {
        return DescribeStall(run);
    }
    errno = 0;
    PrintResult(std::cout, options, run.GetResult());
    std::cout << std::flush;
    const int error = errno; // files do not depend on whether that can be written
    if (files)
    {
        std::ostringstream summary;
        WriteSummary(summary, options, run.GetResult());
        files->WriteSummary(summary.str());
    }
    run.SaveProfile();
    errno = error;
    FlushStandardOutput();
    return DONE;
}

/// Simulate the job on every fabric, and print a table.
int
Compare(const Options& options, RunProcesses& processes)
{
    Comparison comparison(options, processes);
    try
    {
        const bool all = comparison.Run(Warn);
        comparison.Write();
        errno = 0;
        PrintConfiguration(std::cout, options);
        comparison.Print(std::cout);
        FlushStandardOutput();
        return all ? DONE : STALLED;
    }
    catch (const std::runtime_error& error)
    {
        return Fail(OUTPUT_FAILED, error.what());
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    for (int number : {SIGINT, SIGTERM})
    {
        if (std::signal(number, Interrupted) == SIG_IGN)
        {
            std::signal(number, SIG_IGN); // as whoever started the program wants it
        }
    }
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error as a full disk is
    Time::SetResolution(Time::PS);
    Options options;
    std::unique_ptr<RunProcesses> processes;
    std::unique_ptr<TrainingRun> run;
    try
    {
        processes = RunProcesses::Create(argc, argv);
        g_speaks = processes->IsFirst();
        options = ParseOptions(argc, argv);
        if (options.help)
        {
            errno = 0;
            std::cout << (g_speaks ? GetHelpText() : "");
            FlushStandardOutput();
            return DONE;
        }
        if (options.compare)
        {
            return Compare(options, *processes);
        }
        run = std::make_unique<TrainingRun>(options, *processes);
    }
    catch (const std::invalid_argument& error)
    {
        return Fail(BAD_INPUT, error.what());
    }
    catch (const OutputError& error)
    {
        return Fail(OUTPUT_FAILED, error.what());
    }
    try
    {
        return g_speaks ? Run(options, *run) : TakePart(*run);
    }
    catch (const std::runtime_error& error)
    {
        return Fail(OUTPUT_FAILED, error.what());
    }
}

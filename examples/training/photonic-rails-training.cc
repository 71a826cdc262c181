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

#include <iostream>
#include <sstream>

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
    PrintConfiguration(std::cout, options);
    if (options.dumpProgram)
    {
        for (std::size_t stage = 0; stage < run.GetPrograms().size(); stage++)
        {
            std::cout << "\nprogram of stage " << stage << "\n";
            run.GetPrograms()[stage]->Dump(std::cout);
        }
    }
    std::cout << std::flush;
    if (!run.Simulate(files.get()))
    {
        return DescribeStall(run);
    }
    PrintResult(std::cout, options, run.GetResult());
    if (files)
    {
        std::ostringstream summary;
        WriteSummary(summary, options, run.GetResult());
        files->WriteSummary(summary.str());
    }
    run.SaveProfile();
    std::cout << std::flush;
    return std::cout ? DONE : Fail(OUTPUT_FAILED, "standard output cannot be written");
}

/// Simulate the job on every fabric, and print a table.
int
Compare(const Options& options, RunProcesses& processes)
{
    Comparison comparison(options, processes);
    try
    {
        const bool all = comparison.Run(Warn);
        PrintConfiguration(std::cout, options);
        comparison.Print(std::cout);
        comparison.Write();
        if (!std::cout)
        {
            return Fail(OUTPUT_FAILED, "standard output cannot be written");
        }
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
            std::cout << (g_speaks ? GetHelpText() : "") << std::flush;
            return std::cout ? DONE : Fail(OUTPUT_FAILED, "standard output cannot be written");
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
    try
    {
        return g_speaks ? Run(options, *run) : TakePart(*run);
    }
    catch (const std::runtime_error& error)
    {
        return Fail(OUTPUT_FAILED, error.what());
    }
}

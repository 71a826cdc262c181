/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * All GoogleTest suites as one of ns-3's, for trees whose test libraries can link GoogleTest.
 */
#include "ns3/test.h"

#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <string>
#include <utility>

using namespace ns3;

namespace
{

/// Hands the failures of GoogleTest on to ns-3, and prints nothing else.
class FailurePrinter : public testing::EmptyTestEventListener
{
  public:
    using Report = std::function<void(const std::string&, const testing::TestPartResult&)>;

    explicit FailurePrinter(Report report)
        : m_report(std::move(report))
    {
    }

  private:
    void OnTestStart(const testing::TestInfo& info) override
    {
        m_test = std::string(info.test_suite_name()) + "." + info.name();
    }

    void OnTestEnd(const testing::TestInfo&) override
    {
        m_test = "no test";
    }

    void OnTestPartResult(const testing::TestPartResult& result) override
    {
        if (result.failed())
        {
            m_report(m_test, result);
        }
    }

    Report m_report;
    std::string m_test{"no test"}; ///< that runs: UnitTest holds its lock while it reports a result
};

class GoogleTestCase : public TestCase
{
  public:
    GoogleTestCase()
        : TestCase("every GoogleTest suite of the module")
    {
    }

  private:
    void DoRun() override
    {
        testing::InitGoogleTest();
        auto& listeners = testing::UnitTest::GetInstance()->listeners();
        delete listeners.Release(listeners.default_result_printer());
        listeners.Append(new FailurePrinter(
            [this](const std::string& test, const testing::TestPartResult& result) {
                ReportTestFailure(test,
                                  "",
                                  "",
                                  result.summary(),
                                  result.file_name() ? result.file_name() : "",
                                  result.line_number());
            }));
        const int failed = RUN_ALL_TESTS();
        const int tests = testing::UnitTest::GetInstance()->successful_test_count();
        NS_TEST_EXPECT_MSG_EQ(failed, 0, tests << " other tests passed");
        NS_TEST_EXPECT_MSG_GT(tests, 0, "no test was linked");
        std::cout << tests << " GoogleTest tests passed\n";
    }
};

class GoogleTestSuite : public TestSuite
{
  public:
    GoogleTestSuite()
        : TestSuite("photonic-rails-gtest", TestSuite::Type::UNIT)
    {
        AddTestCase(new GoogleTestCase);
    }
};

const GoogleTestSuite g_suite; ///< registers itself

} // namespace

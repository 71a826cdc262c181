# SPDX-License-Identifier: GPL-2.0-only
# What an ns-3 tree tests of this module: photonic-rails-test-suite.cc, and, where a test library can
# link GoogleTest, all that the standalone build tests, as a suite of its own. Sets rails_gtest, the
# rest of build_lib()'s arguments after TEST_SOURCES.
set(rails_gtest)
file(STRINGS ${PROJECT_SOURCE_DIR}/build-support/custom-modules/ns3-module-macros.cmake
     rails_can_link REGEX "TEST_LIBRARIES_TO_LINK")
find_package(GTest QUIET)
if(ENABLE_TESTS AND GTest_FOUND AND rails_can_link)
  file(GLOB_RECURSE rails_gtest RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS
       test/*-test.cc examples/training/*.cc)
  # The program itself, and tests with modules that the library does not need.
  list(FILTER rails_gtest EXCLUDE REGEX "photonic-rails-training\\.cc$|internet-stack-test\\.cc$")
  # As in examples/: one of two files knows how many processes there are.
  if(ENABLE_MPI)
    list(FILTER rails_gtest EXCLUDE REGEX "run-processes-one\\.cc$")
  else()
    list(FILTER rails_gtest EXCLUDE REGEX "run-processes-mpi\\.cc$")
  endif()
  include_directories(test examples/training)
  list(APPEND rails_gtest test/benchmark/ring-case.cc test/photonic-rails-gtest-suite.cc
              TEST_LIBRARIES_TO_LINK GTest::gtest)
endif()

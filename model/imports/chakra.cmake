# SPDX-License-Identifier: GPL-2.0-only
# Chakra traces are protocol buffers, which are optional: one of two source files knows whether they
# are there. Takes rails_sources; adds to them, and sets rails_chakra_libraries.
find_package(Protobuf CONFIG QUIET)
if(NOT Protobuf_FOUND)
  find_package(Protobuf MODULE QUIET)
endif()

set(rails_chakra_libraries)
if(TARGET protobuf::libprotobuf-lite AND TARGET protobuf::protoc)
  list(FILTER rails_sources EXCLUDE REGEX "chakra-file-none\\.cc$")
  set(chakra_proto ${CMAKE_CURRENT_LIST_DIR}/chakra.proto)
  set(chakra_directory ${CMAKE_CURRENT_BINARY_DIR}/chakra)
  file(MAKE_DIRECTORY ${chakra_directory})
  add_custom_command(
    OUTPUT ${chakra_directory}/chakra.pb.cc ${chakra_directory}/chakra.pb.h
    COMMAND protobuf::protoc --proto_path=${CMAKE_CURRENT_LIST_DIR}
            --cpp_out=${chakra_directory} ${chakra_proto}
    DEPENDS ${chakra_proto}
    VERBATIM)
  list(APPEND rails_sources ${chakra_directory}/chakra.pb.cc)
  # Generated code is not held to this module's warnings.
  set_source_files_properties(${chakra_directory}/chakra.pb.cc PROPERTIES COMPILE_OPTIONS "-w")
  set_source_files_properties(
    model/imports/chakra-file-protobuf.cc
    PROPERTIES INCLUDE_DIRECTORIES ${chakra_directory}
               OBJECT_DEPENDS ${chakra_directory}/chakra.pb.h)
  # In a tree other folders link what this one does.
  set_target_properties(protobuf::libprotobuf-lite PROPERTIES IMPORTED_GLOBAL TRUE)
  set(rails_chakra_libraries protobuf::libprotobuf-lite)
else()
  message(STATUS "photonic-rails: no protobuf, so Chakra traces are neither read nor written; "
                 "Debian's packages are libprotobuf-dev and protobuf-compiler")
  list(FILTER rails_sources EXCLUDE REGEX "chakra-file-protobuf\\.cc$")
endif()

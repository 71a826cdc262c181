# SPDX-License-Identifier: GPL-2.0-only
# What `cmake --install` puts in place: the library, its headers, the programs as far as they are
# built, and a package for find_package(photonic-rails).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Apart from ns-3's own headers, which may be in include/ns3.
set(rails_install_include ${CMAKE_INSTALL_INCLUDEDIR}/photonic-rails)
set(rails_install_package ${CMAKE_INSTALL_LIBDIR}/cmake/photonic-rails)

set_target_properties(
  photonic-rails
  PROPERTIES VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
             INSTALL_RPATH_USE_LINK_PATH ON)
install(
  TARGETS photonic-rails
  EXPORT photonic-rails-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${rails_install_include})
install(FILES ${rails_headers} DESTINATION ${rails_install_include}/ns3)

file(RELATIVE_PATH rails_bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set(rails_programs photonic-rails-training photonic-rails-collectives photonic-rails-economics)
set_target_properties(${rails_programs} PROPERTIES INSTALL_RPATH "$ORIGIN/${rails_bin_to_lib}"
                                                   INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS ${rails_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)

install(
  EXPORT photonic-rails-targets
  NAMESPACE photonic-rails::
  DESTINATION ${rails_install_package})
configure_package_config_file(
  .cmake/photonic-rails-config.cmake.in ${CMAKE_BINARY_DIR}/photonic-rails-config.cmake
  INSTALL_DESTINATION ${rails_install_package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/photonic-rails-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/photonic-rails-config.cmake
              ${CMAKE_BINARY_DIR}/photonic-rails-config-version.cmake
              .cmake/drop-missing-includes.cmake DESTINATION ${rails_install_package})

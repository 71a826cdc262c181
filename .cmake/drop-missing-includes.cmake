# SPDX-License-Identifier: GPL-2.0-only
# Debian's imported targets name include directories that may not exist (a Python version): drops
# those from the targets that this directory has imported.
get_property(rails_imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target ${rails_imported})
  get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(directories)
    set(present)
    foreach(directory ${directories})
      if(EXISTS "${directory}" OR directory MATCHES "^\\$<")
        list(APPEND present "${directory}")
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${present}")
  endif()
endforeach()

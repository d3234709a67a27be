# cmake -D BUILD=<folder> -D PREFIX=<folder> -D HOW=EXACTLY|ALSO -D FILES=<file;...> -P installs.cmake
#
# Fails unless `cmake --install BUILD` installs these files, and with EXACTLY no other.
cmake_policy(VERSION 3.25)
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE installed RELATIVE ${PREFIX} ${PREFIX}/*)
list(LENGTH installed count)
foreach(file IN LISTS FILES)
  if(NOT file IN_LIST installed)
    message(FATAL_ERROR "${file} is not among the ${count} files installed")
  endif()
endforeach()
list(REMOVE_ITEM installed ${FILES})
if(HOW STREQUAL "EXACTLY" AND installed)
  message(FATAL_ERROR "${count} files are installed, among them ${installed}")
endif()

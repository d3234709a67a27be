# The build of this project's own programs: tests, benchmarks and examples.  Users of the library
# are not affected.

# Flags of our programs alone.  nvcc turns a host function called from device code into an empty
# kernel and a warning, hence -Werror there always.  Warnings of unused functions are left to nvcc:
# clang, as its host compiler, does not know which are CUDA's own.
add_library(ravel_flags INTERFACE)
target_compile_options(ravel_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wno-sign-conversion>"
  # With fewer garbage collections GCC takes a tenth less time, and some 100 MB more per process.
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-expand=300;--param=ggc-min-heapsize=500000>"
  # For libstdc++'s own warnings in std::stable_sort, whose pragmas clang drops in precompiled
  # headers.
  "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>"
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings;-Xcompiler=-Wall,-Wextra,-Wno-unused-function>")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_EXTENSIONS OFF)

# A program with device code is copied to the machine with the device, so all its libraries, except
# the system's, are in its folder.
set(RAVEL_BIN ${PROJECT_BINARY_DIR}/bin)
add_custom_target(ravel_carried)  # the shared libraries in bin/
add_custom_target(ravel_cuda)     # everything that nvcc compiles

function(ravel_no_more command)
  if(ARGN)
    message(FATAL_ERROR "${command}: what is '${ARGN}'?")
  endif()
endfunction()

# ravel_carry(<target>...): copies those of these libraries that are shared next to the programs.
function(ravel_carry)
  foreach(library IN LISTS ARGN)
    get_target_property(real ${library} ALIASED_TARGET)
    if(NOT real)
      set(real ${library})
    endif()
    get_target_property(kind ${real} TYPE)
    string(MAKE_C_IDENTIFIER "carried_${real}" stamp)
    if(kind STREQUAL "SHARED_LIBRARY" AND NOT TARGET ${stamp})
      add_custom_target(${stamp}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${RAVEL_BIN}
        COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_SONAME_FILE:${library}> ${RAVEL_BIN}
        COMMENT "")
      add_dependencies(ravel_carried ${stamp})
    endif()
  endforeach()
endfunction()

# ravel_program(<target> [LINKS <target>...] SOURCES <file>...): an executable in bin/.
function(ravel_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINKS;SOURCES")
  ravel_no_more(ravel_program ${arg_UNPARSED_ARGUMENTS})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LINKS} ravel_flags)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${RAVEL_BIN}
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH $ORIGIN
    CUDA_RUNTIME_LIBRARY Static)
  add_dependencies(${target} ravel_carried)
endfunction()

# ravel_stub(<variable> <file> <source>...): a file that includes the sources: a .cu, so that nvcc
# compiles the same code as the host compiler.  Several sources in one stub share the cost of the
# front end and of common instantiations, and one scope.
function(ravel_stub variable name)
  set(includes ${ARGN})
  list(TRANSFORM includes REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN includes "" includes)
  set(stub ${CMAKE_CURRENT_BINARY_DIR}/${name})
  file(CONFIGURE OUTPUT ${stub} CONTENT "${includes}")
  set(${variable} ${stub} PARENT_SCOPE)
endfunction()

# ravel_cuda_host(<target>): the compiler of RAVEL_CUDA_CHECKED_WITH compiles the host half.
set(RAVEL_CUDA_CHECKED_WITH "" CACHE STRING
    "What compiles the host's half of tests and benchmarks under nvcc; what nvcc finds, without")
function(ravel_cuda_host target)
  if(RAVEL_CUDA_CHECKED_WITH)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CUDA>:-ccbin=${RAVEL_CUDA_CHECKED_WITH}>)
  endif()
endfunction()

if(RAVEL_CPU_TEAM STREQUAL "tbb")
  ravel_carry(TBB::tbb)
endif()

# ravel_test_headers(<target> <level>): a test of this optimisation level, 0 or 1, uses a
# precompiled header of what most tests include and no change touches.  Our headers are not part of
# it: ccache would miss for every test in another clone, and after each touch.
function(ravel_test_headers target level)
  set(headers ravel_test_headers_${level})
  if(NOT TARGET ${headers})
    set(empty ${PROJECT_BINARY_DIR}/${headers}.cpp)
    file(CONFIGURE OUTPUT ${empty} CONTENT "")
    add_library(${headers} OBJECT ${empty})
    target_link_libraries(${headers} PRIVATE ravel::core GTest::gtest_main ravel_flags)
    target_compile_options(${headers} PRIVATE -O${level})
    set(names gtest/gtest.h algorithm array cmath cstring functional limits map memory numeric
      optional random ranges sstream string thread vector)
    if(RAVEL_CPU_TEAM STREQUAL "tbb" AND NOT RAVEL_CHOOSE_VECTORS)
      list(APPEND names tbb/blocked_range.h tbb/global_control.h tbb/parallel_for.h tbb/task_arena.h)
    endif()
    list(TRANSFORM names REPLACE "(.+)" "<\\1>")
    target_precompile_headers(${headers} PRIVATE ${names})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  # Without it ccache does not see which headers are precompiled.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# ravel_test_stub(<variable> <file> <source>): adds a source to those of a stub, which is written when all
# are known, so that configuring once more leaves it as it is.
function(ravel_test_stub variable name source)
  get_property(sources GLOBAL PROPERTY ravel_tests_in_${name})
  if(NOT sources)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL ravel_write_test_stub ${name})")
  endif()
  set_property(GLOBAL APPEND PROPERTY ravel_tests_in_${name} ${source})
  set(${variable} ${CMAKE_CURRENT_BINARY_DIR}/${name} PARENT_SCOPE)
endfunction()
function(ravel_write_test_stub name)
  get_property(sources GLOBAL PROPERTY ravel_tests_in_${name})
  ravel_stub(stub ${name} ${sources})
endfunction()

# ravel_test(<layer>/<name> [HOST_ONLY | CUDA_ONLY] [THOROUGH] [DATA] [OPTIMISE <level>]
#            [WITH <layer>/<name>] [LABEL <label>] [LIBS <target>...])
#
# tests/<layer>/<name>_test.cpp, linked with that layer alone (with all of ravel
# where <layer> is no layer).  The host compiler makes the executable
# <layer>.<name>; nvcc makes one executable <layer>.cuda of all the layer's tests.
#
# THOROUGH  left out without RAVEL_TEST_THOROUGH: more types, forms or programs of what other tests test once
# DATA      defines RAVEL_TEST_DATA, the folder with the reference data
# OPTIMISE  what the host compiler does: 0, 1, or fully, as the build type says; 0 without it,
#           since types are many and elements few, so that optimising takes longer than it
#           saves; 1 pays for the device in software where it runs for seconds.  The examples
#           and benchmarks, which check their results too, are optimised.
# WITH      shares the stub, and so the scope, of another test, to save nvcc's time; not where it
#           compiles every type, which takes minutes a file, and many cores.  With RAVEL_TEST_TOGETHER also the
#           executable, if both are optimised alike: small tests then compile in less than half of the time
# LABEL     for ctest -L; <layer> without it
#
# Sets ravel_test_target to the executable that the host compiler makes, if any.
function(ravel_test path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOST_ONLY;CUDA_ONLY;THOROUGH;DATA" "OPTIMISE;WITH;LABEL" "LIBS")
  ravel_no_more(ravel_test ${arg_UNPARSED_ARGUMENTS})
  set(ravel_test_target "" PARENT_SCOPE)
  if(arg_THOROUGH AND NOT RAVEL_TEST_THOROUGH)
    return()
  endif()
  string(REPLACE "/" "." name ${path})
  cmake_path(GET path PARENT_PATH layer)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${path}_test.cpp)
  set(library ravel::ravel)
  if(TARGET ravel::${layer})
    set(library ravel::${layer})
  endif()
  if(NOT arg_LABEL)
    set(arg_LABEL ${layer})
  endif()
  if(NOT DEFINED arg_OPTIMISE)
    set(arg_OPTIMISE 0)
  endif()
  set(targets)

  if(RAVEL_TEST_TOGETHER AND NOT arg_CUDA_ONLY)
    if(arg_WITH)
      string(REPLACE "/" "." name ${arg_WITH})
      if(arg_OPTIMISE)
        string(APPEND name ".optimised")
      endif()
    endif()
    ravel_test_stub(source ${name}.cpp ${source})
  endif()
  if(TARGET ${name})
    list(APPEND targets ${name})
  elseif(NOT arg_CUDA_ONLY)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE
      ravel::software_device ${library} GTest::gtest_main ravel_flags)
    if(NOT arg_OPTIMISE STREQUAL "fully")
      target_compile_options(${name} PRIVATE -O${arg_OPTIMISE})
      ravel_test_headers(${name} ${arg_OPTIMISE})
    endif()
    # nvcc's unroll pragmas; and loops for which GCC 12 reports false out-of-bounds accesses, or
    # uninitialised reads of registers that are written under the same condition.
    target_compile_options(${name} PRIVATE -Wno-unknown-pragmas
      $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow$<SEMICOLON>-Wno-maybe-uninitialized>)
    if(RAVEL_TEST_EACH_CASE)
      gtest_discover_tests(${name} TEST_PREFIX ${name}/ DISCOVERY_MODE PRE_TEST
        PROPERTIES LABELS ${arg_LABEL})
    else()
      add_test(NAME ${name} COMMAND ${name})
      set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL})
    endif()
    list(APPEND targets ${name})
  endif()

  if(RAVEL_CUDA AND NOT arg_HOST_ONLY)
    if(NOT TARGET ${layer}.cuda)
      ravel_program(${layer}.cuda LINKS ${library} GTest::gtest_main)
      add_test(NAME ${layer}.cuda COMMAND ${layer}.cuda)
      set_tests_properties(${layer}.cuda PROPERTIES LABELS cuda RESOURCE_LOCK device
        SKIP_REGULAR_EXPRESSION "no CUDA device")
      add_dependencies(ravel_cuda ${layer}.cuda)
      foreach(option RAVEL_TEST_ALL_ON_DEVICE RAVEL_TEST_FEW_ON_DEVICE)
        if(${option})
          target_compile_definitions(${layer}.cuda PRIVATE ${option})
        endif()
      endforeach()
      ravel_cuda_host(${layer}.cuda)
    endif()
    if(NOT arg_WITH OR RAVEL_TEST_ALL_ON_DEVICE)
      set(arg_WITH ${path})
    endif()
    ravel_test_stub(stub ${arg_WITH}.cu ${CMAKE_CURRENT_SOURCE_DIR}/${path}_test.cpp)
    target_sources(${layer}.cuda PRIVATE ${stub})
    list(APPEND targets ${layer}.cuda)
  endif()

  foreach(target IN LISTS targets)
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE ${arg_LIBS})
    if(arg_DATA)
      target_compile_definitions(${target} PRIVATE "RAVEL_TEST_DATA=\"${RAVEL_TEST_DATA}\"")
    endif()
  endforeach()
  set(ravel_test_target ${name} PARENT_SCOPE)
endfunction()

# ravel_bench(<device>/<name> [LINKS <target>...])
#
# bench/<device>/<name>.cpp, or .cu where <device> is gpu, as bin/bench.<device>.<name>.
# It is tested too: every row checks its results, once, at a small size.
function(ravel_bench path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINKS")
  ravel_no_more(ravel_bench ${arg_UNPARSED_ARGUMENTS})
  string(REPLACE "/" "." name bench.${path})
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${path}.cpp)
  set(label bench)
  if(path MATCHES "^gpu/")
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${path}.cu)
    set(label cuda)
  endif()
  ravel_program(${name} SOURCES ${source} LINKS ravel::ravel ravel_bench_harness ${arg_LINKS})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  add_dependencies(ravel_benchmarks ${name})
  if(label STREQUAL cuda)
    add_dependencies(ravel_cuda ${name})
    ravel_cuda_host(${name})
  endif()
  if(RAVEL_TESTS)
    add_test(NAME ${name} COMMAND ${name} --quick)
    set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77)
    if(label STREQUAL cuda)
      set_tests_properties(${name} PROPERTIES RESOURCE_LOCK device)
    endif()
  endif()
endfunction()

# ravel_example(<name> [BACKEND <file>...] [LINKS <target>...] SOURCES <file>...)
#
# bin/ravel-<name> from files of the current folder, with all of ravel.  SOURCES
# are the host compiler's; each file of BACKEND is too, and with RAVEL_CUDA it is
# compiled by nvcc a second time, as <file>.cu.  What the two compilations define
# must differ in name: examples/support/backend.hpp says how.
function(ravel_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "BACKEND;LINKS;SOURCES")
  ravel_no_more(ravel_example ${arg_UNPARSED_ARGUMENTS})
  set(target ravel-${name})
  ravel_program(${target} SOURCES ${arg_SOURCES} ${arg_BACKEND} LINKS ravel::ravel ${arg_LINKS})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/examples)
  # What reads the command line and prints is long to optimise, and runs once.
  set(level -O1)
  if(RAVEL_TESTS AND NOT RAVEL_TEST_THOROUGH)
    set(level -O0)
  endif()
  set_source_files_properties(main.cpp PROPERTIES COMPILE_OPTIONS ${level})
  if(RAVEL_CUDA AND arg_BACKEND)
    set_source_files_properties(main.cpp PROPERTIES COMPILE_DEFINITIONS RAVEL_EXAMPLE_CUDA)
    foreach(file IN LISTS arg_BACKEND)
      cmake_path(GET file STEM stem)
      ravel_stub(stub ${stem}.cu ${CMAKE_CURRENT_SOURCE_DIR}/${file})
      target_sources(${target} PRIVATE ${stub})
    endforeach()
    add_dependencies(ravel_cuda ${target})
  endif()
endfunction()

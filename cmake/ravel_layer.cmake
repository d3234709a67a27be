include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(${CMAKE_CURRENT_LIST_DIR}/../packaging/descriptions.cmake)

# ravel_layer(<layer> [ABOVE <layer>] [LINKS <target>...])
#
# Declares ravel::<layer>, whose headers are all files of include/ravel/<layer>/.
# A layer's include root holds that layer and nothing else, so a header that includes a higher layer
# does not compile.  Each header is compiled alone, against its layer and those below: a .hpp by
# target all_verify_interface_header_sets, a .cuh, which needs a device in software, by target
# device_headers of the tests.  A project that contains this one gets no warnings from its headers,
# as from an installed package, whatever warnings it enables.
function(ravel_layer layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ABOVE" "LINKS")
  set(root ${CMAKE_CURRENT_SOURCE_DIR}/include)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${root}/ravel/${layer}/*.hpp)
  file(GLOB_RECURSE cuda_headers CONFIGURE_DEPENDS ${root}/ravel/${layer}/*.cuh)

  add_library(ravel_${layer} INTERFACE)
  add_library(ravel::${layer} ALIAS ravel_${layer})
  target_sources(ravel_${layer} INTERFACE
    FILE_SET HEADERS BASE_DIRS ${root} FILES ${headers}
    FILE_SET cuda_headers TYPE HEADERS BASE_DIRS ${root} FILES ${cuda_headers})
  set_target_properties(ravel_${layer} PROPERTIES
    EXPORT_NAME ${layer}
    VERIFY_INTERFACE_HEADER_SETS ON
    INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)
  if(NOT PROJECT_IS_TOP_LEVEL)
    set_target_properties(ravel_${layer} PROPERTIES SYSTEM ON)
  endif()
  target_compile_features(ravel_${layer} INTERFACE cxx_std_20)
  # CMake 3.25 does not know cuda_std_20, so a user who chose no standard gets the flag.
  target_compile_options(ravel_${layer} INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<BOOL:$<TARGET_PROPERTY:CUDA_STANDARD>>>>:-std=c++20>)
  target_link_libraries(ravel_${layer} INTERFACE ${arg_LINKS})
  if(arg_ABOVE)
    target_link_libraries(ravel_${layer} INTERFACE ravel::${arg_ABOVE})
  endif()
  if(RAVEL_INSTALL)
    install(TARGETS ravel_${layer} EXPORT ravel_targets FILE_SET HEADERS FILE_SET cuda_headers)
  endif()
endfunction()

# Installs ravelConfig.cmake, so that find_package(ravel) offers the same targets, and the same for pkg-config and CPS.
function(ravel_install_package)
  set_target_properties(ravel_ravel PROPERTIES EXPORT_NAME ravel)
  install(TARGETS ravel_ravel EXPORT ravel_targets)
  set(where ${CMAKE_INSTALL_LIBDIR}/cmake/ravel)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ravelConfig.cmake.in
    ${PROJECT_BINARY_DIR}/ravelConfig.cmake INSTALL_DESTINATION ${where})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/ravelConfigVersion.cmake.in
    ${PROJECT_BINARY_DIR}/ravelConfigVersion.cmake @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/ravelConfig.cmake ${PROJECT_BINARY_DIR}/ravelConfigVersion.cmake
    DESTINATION ${where})
  install(EXPORT ravel_targets NAMESPACE ravel:: DESTINATION ${where})
  ravel_install_descriptions()
endfunction()

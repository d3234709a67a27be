# Writes ravel.pc and ravel.cps, for builds that do not use CMake, and installs them.
function(ravel_install_descriptions)
  set(definitions)
  set(pc_requires)
  set(pc_libs)
  set(cps_packages)
  set(cps_vectors)
  set(cps_nested)
  set(cps_flatten)
  set(cps_flatten_definitions)
  set(requires)
  if(RAVEL_CHOOSE_VECTORS)
    list(APPEND definitions RAVEL_CHOOSES_VECTORS)
    string(APPEND pc_libs "-L\${libdir} -lravel_nested -lravel_vectors")
    if(RAVEL_LINKER_HAS_GC_SECTIONS)
      string(APPEND pc_libs " -Wl,--gc-sections")
    endif()
    set(cps_needed)
    if(RAVEL_CPU_TEAM STREQUAL "tbb")  # only to link
      set(cps_needed "
      \"link_requires\": [\"TBB:tbb\"],")
    endif()
    set(cps_vectors "
    \"vectors\": {
      \"type\": \"archive\",${cps_needed}
      \"location\": \"@prefix@/${CMAKE_INSTALL_LIBDIR}/${CMAKE_STATIC_LIBRARY_PREFIX}ravel_vectors${CMAKE_STATIC_LIBRARY_SUFFIX}\",
      \"link_languages\": [\"cpp\"]
    },")
    list(APPEND requires ":vectors")
    set(cps_nested "
    \"nested\": {
      \"type\": \"archive\",
      \"location\": \"@prefix@/${CMAKE_INSTALL_LIBDIR}/${CMAKE_STATIC_LIBRARY_PREFIX}ravel_nested${CMAKE_STATIC_LIBRARY_SUFFIX}\",
      \"link_languages\": [\"cpp\"],
      \"requires\": [\":algorithms\"]
    },")
    set(cps_flatten_definitions "
      \"definitions\": {\"*\": {\"RAVEL_COMPILED_NESTED\": \"1\"}},")
    set(cps_flatten "\":nested\", ")
  endif()
  if(RAVEL_CPU_TEAM STREQUAL "tbb")
    set(pc_requires tbb)
    set(cps_packages "\"TBB\": {}, ")
    list(APPEND requires "TBB:tbb")
  else()
    list(APPEND definitions RAVEL_CPU_STD_THREADS)
  endif()
  if(RAVEL_CHECKED)
    list(APPEND definitions RAVEL_CHECKED)
  endif()
  set(pc_definitions ${definitions})
  if(RAVEL_CHOOSE_VECTORS)
    list(APPEND pc_definitions RAVEL_COMPILED_NESTED)
  endif()
  list(TRANSFORM pc_definitions REPLACE "(.+)" "-D\\1=1")
  list(JOIN pc_definitions " " pc_definitions)
  list(TRANSFORM definitions REPLACE "(.+)" "\"\\1\": \"1\"")
  list(JOIN definitions ", " cps_definitions)
  list(TRANSFORM requires REPLACE "(.+)" "\"\\1\"")
  list(JOIN requires ", " cps_requires)

  set(compatible ${PROJECT_VERSION_MAJOR}.0.0)
  if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(compatible 0.${PROJECT_VERSION_MINOR}.0)
  endif()
  set(prefix @prefix@)  # of the format CPS, not of configure_file
  file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
  foreach(description pkgconfig/ravel.pc cps/ravel.cps)
    cmake_path(GET description FILENAME name)
    cmake_path(GET description PARENT_PATH folder)
    configure_file(${PROJECT_SOURCE_DIR}/packaging/${name}.in ${PROJECT_BINARY_DIR}/${name} @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/${folder})
  endforeach()
endfunction()

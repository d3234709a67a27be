# cmake -D PROGRAM=<file> -D BYTES=<bound> -P size.cmake
file(SIZE ${PROGRAM} bytes)
message(STATUS "${PROGRAM}: ${bytes} bytes of at most ${BYTES}")
if(bytes GREATER BYTES)
  message(FATAL_ERROR "${PROGRAM} has ${bytes} bytes, and not at most ${BYTES}")
endif()

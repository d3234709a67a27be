# cmake -D PROGRAM=<executable> -D PAGE=<markdown> -P shown.cmake
#
# Fails unless the page contains the output of the program.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
file(READ ${PAGE} page)
string(FIND "${page}" "${said}" where)
if(where EQUAL -1)
  message(FATAL_ERROR "${PAGE} does not show what ${PROGRAM} says:\n${said}")
endif()

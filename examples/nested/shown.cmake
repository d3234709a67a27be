# cmake -D PROGRAM=<executable> -D PAGE=<markdown> -P shown.cmake
#
# Fails unless the page contains the output of the program, and of its steps those of one product.
function(expect_shown text)
  file(READ ${PAGE} page)
  string(FIND "${page}" "${text}" where)
  if(where EQUAL -1)
    message(FATAL_ERROR "${PAGE} does not show what ${PROGRAM} says:\n${text}")
  endif()
endfunction()

execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
expect_shown("${said}")
execute_process(COMMAND ${PROGRAM} --steps OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
string(FIND "${said}" "sparse matrix times dense vector" begin)
string(FIND "${said}" "\nsparse matrix times sparse vector" end)
math(EXPR length "${end} - ${begin}")
string(SUBSTRING "${said}" ${begin} ${length} said)
expect_shown("${said}")

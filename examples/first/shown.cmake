# Fails unless PAGE contains each file of the list SHOWN to the letter.
file(READ ${PAGE} page)
foreach(file IN LISTS SHOWN)
  file(READ ${file} program)
  string(FIND "${page}" "${program}" where)
  if(where EQUAL -1)
    message(FATAL_ERROR "${PAGE} shows another program than ${file}")
  endif()
endforeach()

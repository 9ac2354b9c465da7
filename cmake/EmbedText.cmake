# Writes the files of the list FILES to OUTPUT as C++ string literals, each with
# a comma behind it. Run as a script (cmake -P).
set(text "")
foreach(file IN LISTS FILES)
  file(READ "${file}" content)
  string(APPEND text "R\"MLIR(${content})MLIR\",\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")

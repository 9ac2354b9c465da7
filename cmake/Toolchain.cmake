# Compiler cache and linker. Speed only: every setting here may be absent.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # A PCH user is uncacheable without these; basedir lets two checkouts share hits.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
      ${CCACHE_PROGRAM})
endif()

find_program(LLD_PROGRAM ld.lld-22)
if(LLD_PROGRAM AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  foreach(kind EXE SHARED MODULE)
    string(APPEND CMAKE_${kind}_LINKER_FLAGS " --ld-path=${LLD_PROGRAM}")
  endforeach()
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

# Precompiles `header` for `target`. The binary differs from checkout to checkout; ccache
# looks at this checksum of what it is made of instead, so that they share hits.
function(tilepipe_precompile target header)
  target_precompile_headers(${target} PRIVATE ${header})
  file(SHA256 ${header} sum)
  set(pch ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch)
  file(GENERATE OUTPUT ${pch}.sum
       CONTENT "${sum} ${CMAKE_CXX_COMPILER_VERSION} ${MLIR_VERSION} ${CMAKE_CXX_FLAGS}\n")
endfunction()

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

string(TOUPPER "${CMAKE_BUILD_TYPE}" TILEPIPE_BUILD_TYPE)

find_program(LLD_PROGRAM ld.lld-22)
if(LLD_PROGRAM AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  foreach(kind EXE SHARED MODULE)
    string(APPEND CMAKE_${kind}_LINKER_FLAGS " --ld-path=${LLD_PROGRAM}")
  endforeach()
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

# Precompiles `header` for `target`. With clang the precompiled file is made here and not
# by CMake, whose option names it by an absolute path: ccache would take two checkouts for
# different programs. It also looks at a checksum of what the file is made of (CCACHE_PCH_EXTSUM)
# and not at the file itself, which differs from checkout to checkout.
function(tilepipe_precompile target header)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_precompile_headers(${target} PRIVATE ${header})
    return()
  endif()
  get_filename_component(name ${header} NAME)
  set(pch ${CMAKE_CURRENT_BINARY_DIR}/${name}.pch)
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  get_directory_property(options COMPILE_OPTIONS)
  separate_arguments(flags UNIX_COMMAND
                     "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${TILEPIPE_BUILD_TYPE}}")
  string(REPLACE "SHELL:-Xclang " "-Xclang;" options "${options}")
  add_custom_command(
    OUTPUT ${pch}
    COMMAND ${CMAKE_CXX_COMPILER} ${flags} -fPIC ${options} -std=c++17
            "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
            -D${target}_EXPORTS
            "$<$<BOOL:${includes}>:-isystem;$<JOIN:${includes},;-isystem;>>"
            -x c++-header ${header} -o ${pch}
    DEPENDS ${header} COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Precompiling ${name}")
  file(SHA256 ${header} sum)
  file(GENERATE OUTPUT ${pch}.sum
       CONTENT "${sum} ${CMAKE_CXX_COMPILER_VERSION} ${MLIR_VERSION} ${flags} ${options}\n")
  set_target_properties(${target} PROPERTIES TILEPIPE_PCH ${pch})
  tilepipe_use_precompiled(${target} ${target})
endfunction()

# Compiles `target` with the precompiled header of `owner`.
function(tilepipe_use_precompiled target owner)
  get_target_property(pch ${owner} TILEPIPE_PCH)
  if(NOT pch)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set_source_files_properties(${sources} PROPERTIES OBJECT_DEPENDS ${pch})
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -include-pch -Xclang ${pch}")
  if(NOT target STREQUAL owner)
    add_dependencies(${target} ${owner})
  endif()
endfunction()

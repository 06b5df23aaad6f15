# SPDX-License-Identifier: MIT
# CUDA's libraries as CUDA programs: compiled by `heddle cc`, run and timed by the simulator
# (docs/libraries.md). Each is linked once per version of CUDA, because programs ask for
# libcublas.so.12 with symbols of that version.
set(cuda_libraries)

# cuda_library(FOLDER VERSIONS NAME...): libNAME.so.VERSION from the sources in libraries/FOLDER.
function(cuda_library folder versions)
  set(source_folder ${CMAKE_CURRENT_SOURCE_DIR}/libraries/${folder})
  set(object_folder ${CMAKE_BINARY_DIR}/generated/${folder})
  file(MAKE_DIRECTORY ${object_folder})
  file(GLOB sources CONFIGURE_DEPENDS ${source_folder}/*.cu ${source_folder}/*.cpp ${source_folder}/*.c)
  file(GLOB headers CONFIGURE_DEPENDS ${source_folder}/*.h ${source_folder}/*.def)
  file(GLOB_RECURSE cuda_headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/*)
  # Not heddle as a whole: most of it does not change what is compiled.
  file(GLOB compiler_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cc/*.c)
  set(objects)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    set(object ${object_folder}/${name}.o)
    set(standard)
    if(NOT source MATCHES "c$")
      set(standard -std=c++14)
    endif()
    add_custom_command(
      OUTPUT ${object}
      COMMAND heddle cc -c -O2 ${standard} -Xcompiler -fPIC,-fvisibility=hidden,-Wall ${source} -o ${object}
      DEPENDS ${source} ${headers} ${cuda_headers} ${compiler_sources}
      COMMENT "Compiling ${folder}/${name} for the simulated GPU"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  foreach(name ${ARGN})
    foreach(version ${versions})
      set(file lib${name}.so.${version})
      set(map ${CMAKE_BINARY_DIR}/generated/${file}.map)
      file(WRITE ${map} "${file} { global: ${folder}*; __${folder}*; local: *; };\n")
      add_custom_command(
        OUTPUT ${CMAKE_BINARY_DIR}/${file}
        COMMAND ${HEDDLE_CLANG} --driver-mode=g++ -shared ${objects} -o ${CMAKE_BINARY_DIR}/${file}
                -L${CMAKE_BINARY_DIR} -Wl,--as-needed -l:libcudart.so.11.0 -l:libcuda.so.1 -Wl,-rpath,$ORIGIN
                -Wl,-soname,${file} -Wl,--version-script=${map}
        DEPENDS ${objects} cudart_11 cudadriver
        VERBATIM)
      file(CREATE_LINK ../../${file} ${tree}/lib64/${file} SYMBOLIC)
      list(APPEND cuda_libraries ${CMAKE_BINARY_DIR}/${file})
    endforeach()
    list(GET versions 0 first)
    file(CREATE_LINK lib${name}.so.${first} ${tree}/lib64/lib${name}.so SYMBOLIC)
  endforeach()
  set(cuda_libraries ${cuda_libraries} PARENT_SCOPE)
endfunction()

cuda_library(cublas "11;12;13" cublas cublasLt)
cuda_library(curand 10 curand)
cuda_library(cufft "10;11;12" cufft)
cuda_library(cusparse "11;12" cusparse)
cuda_library(cusolver "11;12" cusolver)
cuda_library(nvrtc "12;13;11.2" nvrtc)
cuda_library(nvJitLink "12;13" nvJitLink)
add_custom_target(cuda_libraries ALL DEPENDS ${cuda_libraries})
set(cuda_libraries ${cuda_libraries} PARENT_SCOPE)

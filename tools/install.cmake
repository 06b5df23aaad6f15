# SPDX-License-Identifier: MIT
# What `make install` puts where. heddle finds everything from where it stands:
#
#   bin/heddle
#   lib/heddle/           libheddle, libheddle_cluster, libheddle_preload, libcudart, libcuda, and cuda/ for heddle cc
#   include/heddle/       headers for policies of one's own (docs/policies.md), and cluster.cuh
#   lib/pkgconfig, lib/cmake/heddle
#   share/heddle/workloads
#   share/doc/heddle      the README and docs/
#   share/man, completions of bash, zsh and fish
set(shared lib/heddle)
install(TARGETS heddle DESTINATION bin)
if(TARGET heddle_cluster)
  install(TARGETS heddle_cluster DESTINATION ${shared})
endif()
# For nvcc: NVIDIA's headers must not be hidden by ours, which are in lib/heddle/cuda.
install(FILES cuda/include/heddle/cluster.cuh DESTINATION include/heddle)
install(DIRECTORY cuda/include/heddle/cluster DESTINATION include/heddle)
install(TARGETS heddle_shared cudart_11 cudart_12 cudart_13 cudadriver heddle_preload DESTINATION ${shared})
install(PROGRAMS ${cuda_libraries} DESTINATION ${shared})
install(TARGETS cuda_ptxas cuda_fatbinary DESTINATION ${shared}/cuda/bin)
install(PROGRAMS cuda/tools/nvcc DESTINATION ${shared}/cuda/bin)
install(DIRECTORY cuda/include DESTINATION ${shared}/cuda)
install(DIRECTORY ${CMAKE_BINARY_DIR}/cuda/lib64 ${CMAKE_BINARY_DIR}/cuda/nvvm DESTINATION ${shared}/cuda)
install(DIRECTORY workloads DESTINATION share/heddle)
foreach(room base isa policies)
  install(DIRECTORY src/${room} DESTINATION include/heddle FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
endforeach()

set(documents ${CMAKE_BINARY_DIR}/documents)
add_custom_target(documents ALL
  COMMAND ${CMAKE_COMMAND} -E make_directory ${documents}
  COMMAND heddle help --man > ${documents}/heddle.1
  COMMAND heddle completion bash > ${documents}/heddle
  COMMAND heddle completion zsh > ${documents}/_heddle
  COMMAND heddle completion fish > ${documents}/heddle.fish
  COMMENT "Writing the manual page and completions")
# A build of single targets has none yet.
install(CODE "if(NOT EXISTS ${documents}/heddle.fish)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target documents)
endif()")
install(CODE "set(MANUAL ${documents}/heddle.1)\nset(DOCUMENTS ${CMAKE_SOURCE_DIR}/docs)")
install(SCRIPT tools/install_manual.cmake)
install(FILES ${documents}/heddle DESTINATION share/bash-completion/completions)
install(FILES ${documents}/_heddle DESTINATION share/zsh/site-functions)
install(FILES ${documents}/heddle.fish DESTINATION share/fish/vendor_completions.d)
install(DIRECTORY docs DESTINATION share/doc/heddle)
install(FILES README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE DESTINATION share/doc/heddle)

configure_file(tools/heddle.pc.in ${CMAKE_BINARY_DIR}/generated/heddle.pc @ONLY)
configure_file(tools/heddle-config.cmake.in ${CMAKE_BINARY_DIR}/generated/heddle-config.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/heddle-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/heddle.pc DESTINATION lib/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/generated/heddle-config.cmake
              ${CMAKE_BINARY_DIR}/generated/heddle-config-version.cmake DESTINATION lib/cmake/heddle)

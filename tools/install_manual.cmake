# SPDX-License-Identifier: MIT
# Run by `cmake --install`: the manual page, with the documents that are
# installed beside it and where they are.
#
#   MANUAL      the page as `heddle help --man` prints it
#   DOCUMENTS   the folder docs/ of the source
set(folder ${CMAKE_INSTALL_PREFIX}/share/doc/heddle)
file(READ ${MANUAL} page)
string(APPEND page ".SH DOCUMENTS\nWhat messages and this page call docs/NAME.md:\n")
file(GLOB_RECURSE documents RELATIVE ${DOCUMENTS} ${DOCUMENTS}/*.md)
list(SORT documents)
foreach(document ${documents})
  file(STRINGS ${DOCUMENTS}/${document} title LIMIT_COUNT 1)
  string(REGEX REPLACE "^#+ *" "" title "${title}")
  string(REPLACE "-" "\\-" title "${title}")
  string(REPLACE "-" "\\-" path "${folder}/docs/${document}")
  string(APPEND page ".TP\n${path}\n${title}\n")
endforeach()
file(WRITE $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/man/man1/heddle.1 "${page}")

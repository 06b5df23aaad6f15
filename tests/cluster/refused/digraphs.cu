// SPDX-License-Identifier: MIT
// refused: 3: its braces are digraphs
__global__ void store(int *out) <%
  out[blockIdx.x] = 1;
%>

void run(int *out) { store<<<8, 1>>>(out); }

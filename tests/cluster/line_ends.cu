// SPDX-License-Identifier: MIT
// Windows line ends and tabs.
#include "check.h"

__global__ void negate(int *values)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	values[i] = -values[i];
}

int main() {
	Array<int> values(numbers(96));
	negate<<<3, 32>>>(values);
	std::vector<int> result = values.get();
	for (int i = 0; i < 96; i++) CHECK(result[i] == -i);
	return verdict();
}

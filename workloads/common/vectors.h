// SPDX-License-Identifier: MIT
// Vectors in space, on the host and on the device: an array for each of their
// three coordinates.
#ifndef WORKLOADS_VECTORS_H
#define WORKLOADS_VECTORS_H

#include <array>
#include <vector>

#include "common/device_array.h"

typedef std::array<std::vector<float>, 3> HostVectors;

// For kernels: coordinate d of vector i is at[d][i].
struct Vectors {
  float *at[3];
};

class DeviceVectors {
 public:
  explicit DeviceVectors(const HostVectors &v) : x_(v[0]), y_(v[1]), z_(v[2]) {}
  // Zeros.
  explicit DeviceVectors(size_t count) : x_(count), y_(count), z_(count) {}

  operator Vectors() const { return {{x_, y_, z_}}; }
  HostVectors get() const { return {{x_.get(), y_.get(), z_.get()}}; }

 private:
  DeviceArray<float> x_, y_, z_;
};

#endif

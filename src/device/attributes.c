// SPDX-License-Identifier: MIT
// Device attributes, by the numbers of both APIs.
#include "device/attributes.h"

#include "device/state.h"

enum {
  CONST_BYTES = 65536,
  MOST_PITCH = 0x7fffffff,
  TEXTURE_SIDE = 65536,
  LAYERED_SIDE = 16384,
  BOX_SIDE = 4096,
  LAYERS = 2048,
  LINEAR_TEXELS = 1 << 27,
  ALIGNMENT_BYTES = 512,
  PITCH_ALIGNMENT_BYTES = 32,
};

static int khz(uint32_t mhz) {
  return (int)mhz * 1000;
}

// Transfers per tick of the command clock: two for HBM, four for GDDR5. Programs see the
// clock of double-data-rate transfers.
static uint32_t transfers_per_tick(const GpuConfig *config) {
  return config->dram.dual_bus ? 2 : 4;
}

static int memory_bus_bits(const GpuConfig *config) {
  return (int)(config->gpu.channels * config->dram.command_bytes * 8 /
               (transfers_per_tick(config) * config->dram.burst_ticks));
}

static int memory_khz(const GpuConfig *config) {
  uint32_t mhz =
      config->gpu.dram_clock_mhz ? config->gpu.dram_clock_mhz : config->gpu.core_clock_mhz;
  return khz(mhz) * (int)transfers_per_tick(config) / 2;
}

static int threads_per_block(const GpuConfig *config) {
  uint32_t threads = config->sm.max_warps * WARP_LANES;
  return (int)(threads < MAX_CTA_THREADS ? threads : MAX_CTA_THREADS);
}

// Attributes that follow from the configuration.
static bool of_configuration(const GpuConfig *config, int number, int *value) {
  int shared = (int)config->sm.shared_kb * 1024;
  switch (number) {
    case ATTRIBUTE_BLOCK_THREADS:
    case ATTRIBUTE_BLOCK_X:
    case ATTRIBUTE_BLOCK_Y: *value = threads_per_block(config); return true;
    case ATTRIBUTE_BLOCK_SHARED_BYTES:
      *value = shared < SHARED_WITHOUT_ASKING ? shared : SHARED_WITHOUT_ASKING;
      return true;
    case ATTRIBUTE_BLOCK_REGISTERS:
    case ATTRIBUTE_SM_REGISTERS: *value = (int)config->sm.registers; return true;
    case ATTRIBUTE_CLOCK_KHZ: *value = khz(config->gpu.core_clock_mhz); return true;
    case ATTRIBUTE_SM_COUNT: *value = (int)config->gpu.sm_count; return true;
    case ATTRIBUTE_MEMORY_CLOCK_KHZ: *value = memory_khz(config); return true;
    case ATTRIBUTE_MEMORY_BUS_BITS: *value = memory_bus_bits(config); return true;
    case ATTRIBUTE_SM_THREADS: *value = (int)config->sm.max_warps * WARP_LANES; return true;
    case ATTRIBUTE_GLOBAL_L1:
      *value = config->l1d.enabled && config->sm.l1_caches_global;
      return true;
    case ATTRIBUTE_LOCAL_L1: *value = config->l1d.enabled; return true;
    case ATTRIBUTE_SM_SHARED_BYTES:
    case ATTRIBUTE_BLOCK_SHARED_BYTES_ASKED_FOR: *value = shared; return true;
    case ATTRIBUTE_SM_BLOCKS: *value = (int)config->sm.max_ctas; return true;
    case ATTRIBUTE_TENSOR_CAPABILITY:
      *value = config->sm.tensor_units ? (int)config->gpu.compute_capability : 0;
      return true;
    default: return false;
  }
}

// Attributes with the same value for every GPU. Unlisted attributes are unsupported features.
static int of_all(int number) {
  switch (number) {
    case ATTRIBUTE_BLOCK_Z: return (int)launch_max_block[2];
    case ATTRIBUTE_GRID_X: return (int)launch_max_grid[0];
    case ATTRIBUTE_GRID_Y: return (int)launch_max_grid[1];
    case ATTRIBUTE_GRID_Z: return (int)launch_max_grid[2];
    case ATTRIBUTE_CONST_BYTES: return CONST_BYTES;
    case ATTRIBUTE_WARP_SIZE: return WARP_LANES;
    case ATTRIBUTE_MOST_PITCH: return MOST_PITCH;
    case ATTRIBUTE_TEXTURE_ALIGNMENT:
    case ATTRIBUTE_SURFACE_ALIGNMENT: return ALIGNMENT_BYTES;
    case ATTRIBUTE_COPIES_BESIDE_KERNELS:
    case ATTRIBUTE_MAPS_HOST_MEMORY:
    case ATTRIBUTE_CONCURRENT_KERNELS:
    case ATTRIBUTE_COPY_ENGINES:
    case ATTRIBUTE_UNIFIED_ADDRESSES:
    case ATTRIBUTE_STREAM_PRIORITIES:
    case ATTRIBUTE_MANAGED_MEMORY:
    case ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case ATTRIBUTE_REGISTERED_MEMORY_KEEPS_ADDRESS:
    case ATTRIBUTE_COOPERATIVE_LAUNCHES:
    case ATTRIBUTE_VIRTUAL_MEMORY:
    case ATTRIBUTE_MEMORY_POOLS:
    case ATTRIBUTE_REGISTERS_HOST_MEMORY: return 1;
    case ATTRIBUTE_TEXTURE_1D_WIDTH:
    case ATTRIBUTE_TEXTURE_2D_WIDTH:
    case ATTRIBUTE_TEXTURE_2D_HEIGHT:
    case ATTRIBUTE_LINEAR_2D_WIDTH:
    case ATTRIBUTE_LINEAR_2D_HEIGHT: return TEXTURE_SIDE;
    case ATTRIBUTE_TEXTURE_3D_WIDTH:
    case ATTRIBUTE_TEXTURE_3D_HEIGHT:
    case ATTRIBUTE_TEXTURE_3D_DEPTH: return BOX_SIDE;
    case ATTRIBUTE_LAYERED_2D_WIDTH:
    case ATTRIBUTE_LAYERED_2D_HEIGHT:
    case ATTRIBUTE_LAYERED_1D_WIDTH: return LAYERED_SIDE;
    case ATTRIBUTE_LAYERED_2D_LAYERS:
    case ATTRIBUTE_LAYERED_1D_LAYERS: return LAYERS;
    case ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT: return PITCH_ALIGNMENT_BYTES;
    case ATTRIBUTE_LINEAR_1D_WIDTH: return LINEAR_TEXELS;
    case ATTRIBUTE_LINEAR_2D_PITCH: return MOST_PITCH;
    default: return 0;
  }
}

// Since compute capability 8.0 programs may ask for a part of the L2 in which data persists: a
// hint without effect here. The part and the window are an A100's.
enum { ACCESS_WINDOW_BYTES = 128 << 20 };

static int persisting_bytes(Device *device, int capability) {
  return capability >= 80 ? (int)(device_l2_bytes(device) / 4 * 3) : 0;
}

DeviceError device_attribute(Device *device, int number, int *value) {
  const GpuConfig *config = device_config(device);
  if (!config) return DEVICE_NOT_INITIALIZED;
  if (number <= 0 || number >= ATTRIBUTES_END) return DEVICE_INVALID_VALUE;
  int capability = (int)device_capability(device);
  if (number == ATTRIBUTE_L2_BYTES)
    *value = (int)device_l2_bytes(device);
  else if (number == ATTRIBUTE_PERSISTING_L2_BYTES)
    *value = persisting_bytes(device, capability);
  else if (number == ATTRIBUTE_ACCESS_WINDOW_BYTES)
    *value = capability >= 80 ? ACCESS_WINDOW_BYTES : 0;
  else if (number == ATTRIBUTE_CAPABILITY_MAJOR)
    *value = capability / 10;
  else if (number == ATTRIBUTE_CAPABILITY_MINOR)
    *value = capability % 10;
  else if (!of_configuration(config, number, value))
    *value = of_all(number);
  return DEVICE_OK;
}

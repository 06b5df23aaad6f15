// SPDX-License-Identifier: MIT
// Device attributes, by the numbers of both APIs.
#include "device/state.h"

enum {
  CONST_BYTES = 65536,
  MOST_PITCH = 0x7fffffff,
  TEXTURE_SIDE = 65536,
  LAYERED_SIDE = 16384,
  BOX_SIDE = 4096,
  LAYERS = 2048,
  FREE_SHARED_BYTES = 48 << 10,
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
    case 1:
    case 2:
    case 3: *value = threads_per_block(config); return true;
    case 8: *value = shared < FREE_SHARED_BYTES ? shared : FREE_SHARED_BYTES; return true;
    case 12:
    case 82: *value = (int)config->sm.registers; return true;
    case 13: *value = khz(config->gpu.core_clock_mhz); return true;
    case 16: *value = (int)config->gpu.sm_count; return true;
    case 36: *value = memory_khz(config); return true;
    case 37: *value = memory_bus_bits(config); return true;
    case 39: *value = (int)config->sm.max_warps * WARP_LANES; return true;
    case 79: *value = config->l1d.enabled && config->sm.l1_caches_global; return true;
    case 80: *value = config->l1d.enabled; return true;
    case 81:
    case 97: *value = shared; return true;
    case 106: *value = (int)config->sm.max_ctas; return true;
    default: return false;
  }
}

// Attributes with the same value for every GPU. Unlisted attributes are unsupported features.
static int of_all(int number) {
  switch (number) {
    case 4: return 64;          // threads of a block in z
    case 5: return 0x7fffffff;  // blocks of a grid
    case 6:
    case 7: return 65535;
    case 9: return CONST_BYTES;
    case 10: return WARP_LANES;
    case 11: return MOST_PITCH;
    case 14:              // texture alignment
    case 30: return 512;  // surface alignment
    case 15:              // copies beside kernels
    case 19:              // host memory can be mapped
    case 31:              // concurrent kernels
    case 40:              // copy engines
    case 41:              // unified addresses
    case 78:              // priorities of streams
    case 83:              // managed memory
    case 89:              // ... of both sides at once
    case 91:              // registered memory has one address
    case 95:              // cooperative launches
    case 102:             // virtual memory
    case 115:             // memory pools
    case 99: return 1;    // memory of the host can be registered
    case 21:              // width of a texture: 1D
    case 22:              // ... 2D
    case 23:              // height
    case 70:              // 2D over pitched memory
    case 71: return TEXTURE_SIDE;
    case 24:  // 3D
    case 25:
    case 26: return BOX_SIDE;
    case 27:  // layered
    case 28:
    case 42: return LAYERED_SIDE;
    case 29:
    case 43: return LAYERS;
    case 51: return 32;       // pitch of a texture over memory
    case 69: return 1 << 27;  // texels of a texture over memory
    case 72: return MOST_PITCH;
    default: return 0;
  }
}

enum { L2_BYTES = 38, CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76, LAST_ATTRIBUTE = 200 };

DeviceError device_attribute(Device *device, int number, int *value) {
  const GpuConfig *config = device_config(device);
  if (!config) return DEVICE_NOT_INITIALIZED;
  if (number <= 0 || number >= LAST_ATTRIBUTE) return DEVICE_INVALID_VALUE;
  int capability = (int)device_capability(device);
  if (number == L2_BYTES)
    *value = (int)device_l2_bytes(device);
  else if (number == CAPABILITY_MAJOR)
    *value = capability / 10;
  else if (number == CAPABILITY_MINOR)
    *value = capability % 10;
  else if (!of_configuration(config, number, value))
    *value = of_all(number);
  return DEVICE_OK;
}

// SPDX-License-Identifier: MIT
// Addresses and memory apart: a range of addresses is reserved, pieces of memory
// are made, mapped into ranges and made accessible. A piece may be mapped in
// several places and lives as long as its handle or a mapping does.
//
// Ranges are the host's own addresses, and a piece is a file without a name, so
// pieces mapped side by side are one stretch of bytes for copies too.
#ifndef DEVICE_MEMORY_VIRTUAL_MEMORY_H
#define DEVICE_MEMORY_VIRTUAL_MEMORY_H

#include "device/device.h"

// What all addresses and sizes are multiples of.
#define VIRTUAL_GRANULARITY (UINT64_C(2) << 20)

typedef struct DevicePiece DevicePiece;

typedef enum VirtualAccess { ACCESS_NONE = 0, ACCESS_READ = 1, ACCESS_ALL = 3 } VirtualAccess;

// alignment: a power of 2, or 0.
DeviceError device_range_reserve(Device *device, uint64_t size_bytes, uint64_t alignment,
                                 uint64_t *address);
// Nothing may be mapped in it any more.
DeviceError device_range_free(Device *device, uint64_t address, uint64_t size_bytes);

DeviceError device_piece_create(Device *device, uint64_t size_bytes, DevicePiece **piece);
// Gives the handle back.
DeviceError device_piece_release(Device *device, DevicePiece *piece);
// The piece that is mapped at an address, as one more handle.
DeviceError device_piece_retain(Device *device, uint64_t address, DevicePiece **piece);
// A piece for other processes: a file, which the caller closes. It may be opened as a piece.
DeviceError device_piece_export(Device *device, const DevicePiece *piece, int *file);
DeviceError device_piece_import(Device *device, int file, DevicePiece **piece);
bool device_piece_exists(Device *device, const DevicePiece *piece);

// Maps a whole piece; it cannot be accessed yet.
DeviceError device_piece_map(Device *device, DevicePiece *piece, uint64_t address,
                             uint64_t size_bytes);
// These want a range that consists of whole mappings.
DeviceError device_range_unmap(Device *device, uint64_t address, uint64_t size_bytes);
DeviceError device_range_set_access(Device *device, uint64_t address, uint64_t size_bytes,
                                    VirtualAccess access);
DeviceError device_range_access(Device *device, uint64_t address, VirtualAccess *access);

#endif

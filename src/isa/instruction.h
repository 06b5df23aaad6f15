// SPDX-License-Identifier: MIT
// A decoded instruction: decoded once when its module is loaded, dispatched
// once a warp through its exec pointer.
//
// Operands are places of 32 lanes. A place is a byte offset: at or above zero
// into the warp's register frame, below zero (its complement) into the
// program's pool of constants, where every immediate stands 32 times over. So
// an exec function never asks what kind of operand it has.
//
//   width of the register    lanes
//   8, 16 or 32 bits         32 x uint32_t, the unused upper bits zero
//   64 bits                  32 x uint64_t
//   predicate                one uint32_t, bit i for lane i
#ifndef ISA_INSTRUCTION_H
#define ISA_INSTRUCTION_H

#include <stddef.h>

#include "isa/form.h"

enum { WARP_LANES = 32, MAX_DESTINATIONS = 4, MAX_SOURCES = 6 };
#define FULL_MASK 0xffffffffu

typedef struct ExecContext ExecContext;
typedef struct Warp Warp;
typedef struct Instruction Instruction;
typedef struct CallSite CallSite;

// Executes one instruction for the lanes in mask, which is never 0. It writes
// no register lane outside mask. What a memory instruction touched, or what
// went wrong, is left in the context.
typedef void (*ExecFn)(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask);

// Paths that only meet when their threads end.
#define NO_RECONVERGENCE UINT32_MAX

typedef int32_t Place;
#define NO_PLACE INT32_MIN

// What an address is relative to, besides its base register and offset.
typedef enum AddressBase {
  BASE_ABSOLUTE,
  BASE_FRAME,           // the thread's stack frame: .local and .param of a .func
  BASE_DYNAMIC_SHARED,  // where the kernel's dynamic shared memory begins
} AddressBase;

// Which lanes of an atomic reach memory. It is timed so; results are computed lane by lane.
typedef enum Aggregation {
  BY_LANE,       // all
  BY_FULL_WARP,  // one if all lanes of the warp are active, else all
  BY_WARP,       // one
} Aggregation;

// Special registers read by this instruction other than by mov.
enum { MAX_SPECIALS = 2 };

// Further operands, of mma and its kin, and of vectors of eight.
typedef struct PlaceList {
  uint32_t dst_count, src_count;
  Place *dst, *src;
} PlaceList;

// What an instruction computes where its form is only what it costs: the last of
// a sequence that stands for a division, say.
typedef struct RealOperation {
  ExecFn exec;
  Form form;
} RealOperation;

struct Instruction {
  ExecFn exec;
  Form form;
  Place dst[MAX_DESTINATIONS];  // NO_PLACE where there is none
  Place src[MAX_SOURCES];
  Place guard;                  // predicate, or NO_PLACE
  bool guard_negated;
  bool is_cover;                // guarded, but the old values of its destinations are dead
  bool is_meeting;              // a step of divergence or reconvergence (meetings.h)
  bool is_reconvergence;        // the latter
  bool is_multiplied;           // a sum, copy or shift, by IMAD
  bool leaves;                  // bra: who jumps no longer waits to meet others before reconverge
  uint8_t negated;              // bit k: predicate source k is negated
  uint8_t dst_bytes;            // ld, cvt: bytes of a destination lane (4 or 8) where wider than the type
  uint8_t src_bytes;            // st, cvt: bytes of a source lane where wider than the type
  uint8_t address_bytes;        // of the base register: 4 or 8
  uint8_t address_base;         // AddressBase
  uint8_t aggregation;          // Aggregation, of an atomic
  uint8_t param;  // of the kernel, whose pointer the address derives from: index + 1; 0 = unknown
  uint8_t special[MAX_SPECIALS];  // SpecialRegister copied to special_place before exec; 0 = none
  Place special_place[MAX_SPECIALS];
  int64_t offset;               // of an address; or the opcode's immediate
  uint32_t target;              // bra: index into Program.code
  uint32_t reconverge;          // bra, brx: where its paths meet again, or NO_RECONVERGENCE
  uint32_t outer;               // bra: where lanes meet that leave before reconverge; 0 = none do
  const CallSite *call;         // call
  const PlaceList *list;        // operands of those that have more than dst and src hold; else NULL
  const RealOperation *real;    // of exec_real; else NULL
  const uint32_t *targets;      // brx: src[0] indexes it, offset is how many there are
  const char *text;             // the opcode as written, such as "ld.global.f32", for messages
  uint32_t line;                // in the PTX file
  uint32_t source;              // index into Program.sources: file and line of the CUDA source; 0 = unknown
};

// The registers of an instruction as the machine's scoreboard and register
// banks see them. A register's id counts predicates first, then units of 32
// bits (a 64-bit register has its first unit's); its number is the digits at
// the end of its PTX name. Hidden registers and constants are left out, and
// the guard is no source: it is not read through the register file.
enum { MAX_REGISTER_SOURCES = 28, MAX_REGISTER_DESTINATIONS = 8 };
#define NO_REGISTER UINT16_MAX

typedef struct RegisterUse {
  uint8_t source_count, destination_count;
  uint16_t guard;               // id, or NO_REGISTER
  uint16_t sources[MAX_REGISTER_SOURCES], destinations[MAX_REGISTER_DESTINATIONS];
  uint8_t source_numbers[MAX_REGISTER_SOURCES], destination_numbers[MAX_REGISTER_DESTINATIONS];
} RegisterUse;

#endif

// SPDX-License-Identifier: MIT
// Fragments: which elements of a matrix the registers of a lane hold.
//
// mma and wmma spread the matrices of D = A * B + C (M x K, K x N and M x N)
// over a warp. All layouts but one are made of the same pieces: with g = lane /
// 4 and t = lane % 4, a register of n elements holds n in a row along k,
// beginning at t * n, of row g of A or column g of B; of C and D a lane has the
// columns 2t and 2t + 1 of row g. Larger matrices repeat the piece: first 8
// rows on (A, C and D), then along k, then the next columns, then 16 rows on.
// That gives the layouts that the manual has for mma; for wmma it leaves them
// open, and ours are these too. wmma's f16 fragments of A and B have 8
// registers whatever they hold: what is left repeats the first ones.
//
// The exception is mma.m8n8k4 on f16: four products at once, one a pair of quads
// (lanes 4q to 4q + 3 and 16 on). Its place functions are quad_place_*.
#ifndef EXEC_MATRIX_MATRIX_H
#define EXEC_MATRIX_MATRIX_H

#include "isa/form.h"

typedef enum MatrixPart { PART_NONE, PART_A, PART_B, PART_C, PART_D } MatrixPart;

typedef struct Fragment {
  MatrixPart part;
  DataType type;           // of an element; b1 is taken 32 at a time, as TYPE_B32
  uint32_t rows, columns;  // of the matrix, in elements
  uint32_t elements;       // in a register
  uint32_t registers;      // a lane has
  uint32_t distinct;       // ... of which these are not repetitions
} Fragment;

typedef struct MatrixPlace {
  uint32_t row, column;
} MatrixPlace;

// How a part of a form's product is spread; false if the form does not exist.
bool fragment_of(const Form *form, MatrixPart part, Fragment *fragment);
// Where element e of a lane's register stands in the matrix.
MatrixPlace fragment_place(const Fragment *fragment, uint32_t lane, uint32_t reg, uint32_t e);
// mma.m8n8k4.f16: the same for element e of all that a lane has, within the
// matrices of its pair of quads; the row counts within 8.
bool form_is_quads(const Form *form);
bool form_is_sparse(const Form *form);  // mma.sp
MatrixPlace quad_place(const Form *form, MatrixPart part, DataType type, uint32_t lane, uint32_t e);

// The size of the product: M, N and K.
typedef struct ShapeSize {
  uint32_t m, n, k;
} ShapeSize;
ShapeSize shape_size(MatrixShape shape);

// ---- mma.sp: an A of which two of four elements in a row are zero is given without them

// Where the index of element `column` of row `row` of the compressed A is kept: in the register of
// a lane. `selector` is the instruction's last operand.
typedef struct MetadataPlace {
  uint32_t lane, bit, bits;
} MetadataPlace;
MetadataPlace metadata_place(const Form *form, uint32_t selector, uint32_t row, uint32_t column);
// The row of B that the element is multiplied with, of its index.
uint32_t metadata_row(const Form *form, uint32_t column, uint32_t code);
// How many values the selector has.
uint32_t metadata_selectors(const Form *form);

#endif

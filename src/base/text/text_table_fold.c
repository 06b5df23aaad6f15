// SPDX-License-Identifier: MIT
// Ways to make a table narrower, in the order in which they are tried: fold the texts of its
// cells; move the text of the last column below the rest of its row; then, for tables of numbers,
// blocks of columns that repeat the keys, and for tables of texts, one line per cell.
#include "base/text/text_table_fold.h"

#include <string.h>

// LEAST_TEXT: columns for a sentence; LEAST_CELL: for a word.
enum { GAP = 2, LEAST_TEXT = 24, LEAST_CELL = 12, BELOW_INDENT = 4 };

static void print_spaces(FILE *file, int count) {
  fprintf(file, "%*s", count > 0 ? count : 0, "");
}

// ---- folded text

// Bytes of the first `width` characters.
static size_t bytes_of(const char *text, int width) {
  size_t bytes = 0;
  for (; text[bytes]; bytes++)
    if ((text[bytes] & 0xc0) != 0x80 && width-- == 0) break;
  return bytes;
}

// Length in bytes of the first line of a text: to the last blank that fits.
static size_t line_length(const char *text, int width) {
  if (text_width(text) <= width) return strlen(text);
  size_t most = bytes_of(text, width), at = most;
  while (at > 0 && text[at] != ' ') at--;
  return at ? at : most;
}

static const char *next_line(const char *text, size_t length) {
  text += length;
  return text + strspn(text, " ");
}

static void print_styled(FILE *file, const TextCell *cell, const char *text, size_t length) {
  fprintf(file, "%s%.*s%s", terminal_begin(file, cell->style), (int)length, text,
          terminal_end(file, cell->style));
}

// Lines that begin at this column of the terminal.
static void print_text(const TextLayout *layout, const TextCell *cell, int column, int width) {
  const char *text = cell->text;
  do {
    size_t length = line_length(text, width);
    print_spaces(layout->file, column);
    print_styled(layout->file, cell, text, length);
    fputc('\n', layout->file);
    text = next_line(text, length);
  } while (*text);
}

// ---- one row

// The column of the block that follows, or the number of columns.
static uint32_t next_column(const TextLayout *layout, uint32_t column) {
  uint32_t next = column + 1;
  if (next >= layout->keys && next < layout->first) next = layout->first;
  return next < layout->last ? next : layout->table->column_count;
}

// A line of a cell after `pending` spaces; what is left of them is due before the next cell.
static void print_cell_line(const TextLayout *layout, uint32_t column, const TextCell *cell,
                            const char **rest, int *pending) {
  bool is_right = layout->table->right[column];
  int width = layout->widths[column];
  size_t length = is_right ? strlen(*rest) : line_length(*rest, width);
  int padding = width - text_width(*rest);
  if (length < strlen(*rest)) {
    char line[1024];
    snprintf(line, sizeof line, "%.*s", (int)length, *rest);
    padding = width - text_width(line);
  }
  if (is_right) *pending += padding > 0 ? padding : 0;
  if (length) {
    print_spaces(layout->file, *pending);
    *pending = 0;
  }
  print_styled(layout->file, cell, *rest, length);
  if (!is_right) *pending += padding > 0 ? padding : 0;
  *pending += GAP;
  *rest = next_line(*rest, length);
}

static void print_row(const TextLayout *layout, const TextCell *cells, size_t count) {
  const char *rest[TEXT_TABLE_COLUMNS];
  uint32_t columns = layout->table->column_count;
  for (uint32_t c = 0; c < columns; c++) rest[c] = c < count ? cells[c].text : "";
  for (bool is_done = false; !is_done;) {
    int pending = layout->indent;
    is_done = true;
    for (uint32_t c = 0; c < columns && c < count; c = next_column(layout, c)) {
      print_cell_line(layout, c, &cells[c], &rest[c], &pending);
      is_done &= !*rest[c];
    }
    fputc('\n', layout->file);
  }
}

// ---- blocks of rows

static void print_headings(const TextLayout *layout) {
  const TextTable *table = layout->table;
  TextCell cells[TEXT_TABLE_COLUMNS];
  bool is_named = false;
  for (uint32_t i = 0; i < table->column_count; i++) {
    cells[i] = (TextCell){table->headings[i], STYLE_HEADING};
    is_named |= *table->headings[i] != '\0';
  }
  if (is_named) print_row(layout, cells, table->column_count);
}

static void print_block(const TextLayout *layout) {
  const TextTable *table = layout->table;
  print_headings(layout);
  for (size_t i = 0; i < table->cell_count; i += table->column_count)
    print_row(layout, table->cells + i, table->cell_count - i);
}

// The last column below the others.
static void print_below(TextLayout *layout, int columns) {
  const TextTable *table = layout->table;
  int at = layout->indent + BELOW_INDENT;
  layout->keys = layout->first = layout->last = table->column_count - 1;
  print_headings(layout);
  for (size_t i = 0; i < table->cell_count; i += table->column_count) {
    print_row(layout, table->cells + i, table->cell_count - i);
    size_t text = i + table->column_count - 1;
    if (text < table->cell_count) print_text(layout, &table->cells[text], at, columns - at);
  }
}

// Every cell below the first one of its row, with its heading.
static void print_records(const TextLayout *layout, int columns) {
  const TextTable *table = layout->table;
  for (size_t i = 0; i < table->cell_count; i++) {
    const char *heading = table->headings[i % table->column_count];
    bool is_first = i % table->column_count == 0;
    int at = layout->indent + (is_first ? 0 : BELOW_INDENT);
    char text[1200];
    snprintf(text, sizeof text, "%s%s%s", is_first ? "" : heading,
             is_first || !*heading ? "" : ": ", table->cells[i].text);
    print_text(layout, &(TextCell){text, table->cells[i].style}, at, columns - at);
  }
}

// ---- widths

static int width_of(const TextLayout *layout, uint32_t first, uint32_t last) {
  int width = 0;
  for (uint32_t c = first; c < last; c++) width += layout->widths[c] + GAP;
  return width;
}

// Narrows the widest texts among columns first..last - 1 until the columns before `end`, and `more`
// of the terminal, fit.
static bool narrow(TextLayout *layout, uint32_t first, uint32_t last, int least, uint32_t end,
                   int more, int columns) {
  while (layout->indent + width_of(layout, 0, end) - GAP + more > columns) {
    uint32_t widest = last;
    for (uint32_t c = first; c < last; c++)
      if (!layout->table->right[c] && layout->widths[c] > least &&
          (widest == last || layout->widths[c] > layout->widths[widest]))
        widest = c;
    if (widest == last) return false;
    layout->widths[widest]--;
  }
  return true;
}

// The last column keeps room for a sentence, or all that it has.
static bool fold_cells(TextLayout *layout, int columns) {
  uint32_t text = layout->table->column_count - 1;
  int own = layout->widths[text], least = own < LEAST_TEXT ? own : LEAST_TEXT;
  if (layout->table->right[text])
    return narrow(layout, layout->keys, text + 1, LEAST_CELL, text + 1, 0, columns);
  if (!narrow(layout, layout->keys, text, LEAST_CELL, text, GAP + least, columns)) return false;
  int room = columns - layout->indent - width_of(layout, 0, text);
  layout->widths[text] = own < room ? own : room;
  return true;
}

// Keys are narrowed last, as far as needed.
static bool fold_below(TextLayout *layout, int columns) {
  uint32_t text = layout->table->column_count - 1;
  if (layout->table->right[text]) return false;
  return narrow(layout, layout->keys, text, LEAST_CELL, text, 0, columns) ||
         narrow(layout, 0, layout->keys, LEAST_TEXT, text, 0, columns);
}

static bool has_numbers(const TextTable *table) {
  uint32_t numbers = 0;
  for (uint32_t c = 0; c < table->column_count; c++) numbers += table->right[c];
  return numbers > 1;
}

// ---- blocks of columns

// Narrows keys and texts so that every column fits next to the keys.
static void make_room(TextLayout *layout, int columns) {
  const TextTable *table = layout->table;
  int most = LEAST_CELL;
  for (uint32_t c = layout->keys; c < table->column_count; c++)
    if (table->right[c] && layout->widths[c] > most) most = layout->widths[c];
  narrow(layout, 0, layout->keys, LEAST_CELL, layout->keys, GAP + most, columns);
  int room = columns - layout->indent - width_of(layout, 0, layout->keys);
  for (uint32_t c = layout->keys; c < table->column_count; c++)
    if (!table->right[c] && layout->widths[c] > room) layout->widths[c] = room > most ? room : most;
}

static void print_blocks(TextLayout *layout, int columns) {
  uint32_t count = layout->table->column_count;
  make_room(layout, columns);
  for (layout->first = layout->keys; layout->first < count; layout->first = layout->last) {
    int used = layout->indent + width_of(layout, 0, layout->keys);
    layout->last = layout->first;
    do used += layout->widths[layout->last++] + GAP;
    while (layout->last < count && used + layout->widths[layout->last] <= columns);
    if (layout->first > layout->keys) fputc('\n', layout->file);
    print_block(layout);
  }
}

void text_table_fold(TextLayout *layout, int columns) {
  const TextTable *table = layout->table;
  uint32_t count = table->column_count;
  TextLayout natural = *layout;
  natural.keys = natural.first = natural.last = count;
  bool fits = !columns || layout->indent + width_of(layout, 0, count) - GAP <= columns;
  if (fits || count == 1) {
    print_block(&natural);
    return;
  }
  natural.keys = table->key_columns < count ? table->key_columns : count - 1;
  natural.first = natural.keys;
  *layout = natural;
  if (fold_cells(layout, columns)) {
    print_block(layout);
    return;
  }
  *layout = natural;
  if (has_numbers(table)) {
    print_blocks(layout, columns);
    return;
  }
  if (fold_below(layout, columns))
    print_below(layout, columns);
  else
    print_records(layout, columns);
}

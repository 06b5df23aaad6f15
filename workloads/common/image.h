// SPDX-License-Identifier: MIT
// Grey images: a generator, and a reader of PGM files (P2 and P5, 8 bits).
#ifndef WORKLOADS_IMAGE_H
#define WORKLOADS_IMAGE_H

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/random.h"
#include "common/text_file.h"

struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> pixel;  // row by row
};

// Smooth waves, edges of squares, and noise of `noise` grey levels: something for
// every filter to find.
static inline Image image_generate(int width, int height, int noise, uint64_t seed) {
  Random random(seed);
  Image image;
  image.width = width;
  image.height = height;
  image.pixel.resize((size_t)width * height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float wave = 40 * sinf(0.07f * (float)x) + 40 * cosf(0.05f * (float)(x + 2 * y));
      int square = ((x / 24 + y / 24) % 3 == 0) ? 40 : 0;
      int level = 108 + (int)wave + square + (int)random.below((uint32_t)(2 * noise + 1)) - noise;
      image.pixel[(size_t)y * width + x] = (uint8_t)(level < 0 ? 0 : level > 255 ? 255 : level);
    }
  return image;
}

static inline Image image_read(const char *path) {
  enum { MOST = 1 << 15 };
  TextFile file(path);
  Image image;
  std::string kind = file.word("P2 or P5");
  if (kind != "P2" && kind != "P5") file.wrong("not a PGM file: it begins with neither P2 nor P5");
  file.set_comment('#');
  image.width = (int)file.integer("width", 1, MOST);
  image.height = (int)file.integer("height", 1, MOST);
  int brightest = (int)file.integer("largest grey value", 1, 255);
  size_t count = (size_t)image.width * image.height;
  file.expect_at_least(count, "a pixel");
  image.pixel.resize(count);
  file.set_comment(0);
  const unsigned char *raw = kind == "P5" ? file.bytes(count, "a pixel") : NULL;
  for (size_t i = 0; i < count; i++)
    image.pixel[i] = raw ? raw[i] : (uint8_t)file.integer("grey value", 0, brightest);
  return image;
}

#endif

#pragma once

/// The C structs of the Arrow C data interface, by which columnar data are exchanged in a process.
///
/// The structs are the whole interface, and each library declares them itself.  A
/// producer fills them, and the consumer calls `release` once; a struct whose
/// `release` is null has been released or moved from.
///
/// Source   "The Arrow C data interface", Apache Arrow Columnar Format 1.0.

#include <cstdint>

#ifndef ARROW_C_DATA_INTERFACE
#  define ARROW_C_DATA_INTERFACE

#  define ARROW_FLAG_DICTIONARY_ORDERED 1
#  define ARROW_FLAG_NULLABLE 2
#  define ARROW_FLAG_MAP_KEYS_SORTED 4

extern "C" {

/// The type of a column: its format, name and children.
struct ArrowSchema {
  char const* format;
  char const* name;
  char const* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

/// The elements of a column: its length, buffers and children.
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  void const** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

}  // extern "C"

#endif  // ARROW_C_DATA_INTERFACE

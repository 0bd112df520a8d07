// Vectors of integers that stand for rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace headwater {

// Whether all indices are in [0, count). Negative numbers are large ones without a sign.
template <typename Index>
bool in_range(const Index* indices, int64_t size, int64_t count) {
  uint64_t largest = 0;
  for (int64_t i = 0; i < size; ++i) {
    largest = std::max(largest, static_cast<uint64_t>(static_cast<int64_t>(indices[i])));
  }
  return size == 0 || largest < static_cast<uint64_t>(count);
}

template <typename Index>
bool is_range(const Index* indices, int64_t size, int64_t count) {
  if (size != count) return false;
  for (int64_t i = 0; i < size; ++i) {
    if (indices[i] != i) return false;
  }
  return true;
}

template <typename Index>
bool is_sorted(const Index* indices, int64_t size) {
  for (int64_t i = 1; i < size; ++i) {
    if (indices[i] < indices[i - 1]) return false;
  }
  return true;
}

// Whether no number in [0, count) is repeated.
template <typename Index>
bool are_distinct(const Index* numbers, int64_t size, int64_t count) {
  static thread_local std::vector<uint64_t> seen;
  // Sorting costs less than so many words of flags per number.
  constexpr int64_t kWords = 64;
  const int64_t words = count / 64 + 1;
  if (words > kWords * (size + 1)) {
    std::vector<Index> sorted(numbers, numbers + size);
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  }
  seen.assign(words, 0);
  for (int64_t i = 0; i < size; ++i) {
    const uint64_t flag = uint64_t{1} << (numbers[i] % 64);
    uint64_t& word = seen[numbers[i] / 64];
    if (word & flag) return false;
    word |= flag;
  }
  return true;
}

}  // namespace headwater

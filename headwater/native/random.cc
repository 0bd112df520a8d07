// Random numbers on the host: the words of Philox 4x32-10 and shuffles by them, equal to what
// headwater/ops/random/philox.py and permutation.py compute.
#include <algorithm>
#include <numeric>
#include <utility>

#include "arrays.h"

namespace headwater {
namespace {

constexpr int kRounds = 10;
constexpr uint64_t kMultipliers[] = {0xD2511F53, 0xCD9E8D57};
constexpr uint32_t kKeySteps[] = {0x9E3779B9, 0xBB67AE85};
// So many blocks are computed at a time, so that the compiler can use vectors.
constexpr int64_t kTogether = 16;

// Draws blocks of four words each; `offset(i)` is how far a block is from the position of a stream.
template <typename Offset>
void draw(const uint32_t* stream, int64_t count, Offset offset, uint32_t* to) {
  const uint64_t low = stream[2] | uint64_t{stream[3]} << 32;
  const uint64_t high = stream[4] | uint64_t{stream[5]} << 32;
  for (int64_t first = 0; first < count; first += kTogether) {
    const int64_t size = std::min(kTogether, count - first);
    uint32_t c[4][kTogether] = {};
    for (int64_t i = 0; i < size; ++i) {
      const uint64_t at = low + offset(first + i);
      const uint64_t carried = high + (at < low);
      c[0][i] = static_cast<uint32_t>(at);
      c[1][i] = static_cast<uint32_t>(at >> 32);
      c[2][i] = static_cast<uint32_t>(carried);
      c[3][i] = static_cast<uint32_t>(carried >> 32);
    }
    uint32_t k0 = stream[0], k1 = stream[1];
    for (int round = 0; round < kRounds; ++round, k0 += kKeySteps[0], k1 += kKeySteps[1]) {
      for (int64_t i = 0; i < kTogether; ++i) {
        const uint64_t p0 = c[0][i] * kMultipliers[0], p1 = c[2][i] * kMultipliers[1];
        const uint32_t even = static_cast<uint32_t>(p1 >> 32) ^ c[1][i] ^ k0;
        const uint32_t odd = static_cast<uint32_t>(p0 >> 32) ^ c[3][i] ^ k1;
        c[0][i] = even;
        c[1][i] = static_cast<uint32_t>(p1);
        c[2][i] = odd;
        c[3][i] = static_cast<uint32_t>(p0);
      }
    }
    for (int64_t i = 0; i < size; ++i, to += 4) {
      for (int word = 0; word < 4; ++word) to[word] = c[word][i];
    }
  }
}

// philox(stream, offsets): the words of the blocks so far from the position of a stream.
PyObject* philox(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense stream(arguments[0]), offsets(arguments[1]);
  if (!stream.is('u', 4) || stream.rank() != 1 || stream.rows() != 6 || !offsets.is('u', 8) ||
      offsets.rank() != 1) {
    Py_RETURN_NONE;
  }
  const npy_intp size = 4 * offsets.rows();
  PyObject* result = PyArray_SimpleNew(1, const_cast<npy_intp*>(&size), NPY_UINT32);
  if (result == nullptr) return nullptr;
  const uint64_t* offset = offsets.data<const uint64_t>();
  const auto at = [offset](int64_t i) { return offset[i]; };
  const Unlocked unlocked(size);
  draw(stream.data<const uint32_t>(), offsets.rows(), at, data_of<uint32_t>(result));
  return result;
}

// permutation(words): the numbers up to the number of words, shuffled: the element at i and that at
// i + words[i] % (size - i) change places, one after the other.
PyObject* permutation(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense words(arguments[0]);
  if (!words.is('u', 4) || words.rank() != 1 || words.rows() >= INT32_MAX) Py_RETURN_NONE;
  const npy_intp size = words.rows() + 1;
  PyObject* result = PyArray_SimpleNew(1, const_cast<npy_intp*>(&size), NPY_INT64);
  if (result == nullptr) return nullptr;
  int64_t* order = data_of<int64_t>(result);
  const uint32_t* word = words.data<const uint32_t>();
  const Unlocked unlocked(size);
  std::iota(order, order + size, 0);
  for (int64_t i = 0; i + 1 < size; ++i) {
    std::swap(order[i], order[i + word[i] % static_cast<uint32_t>(size - i)]);
  }
  return result;
}

}  // namespace

PyMethodDef random_functions[] = {
    HEADWATER_FUNCTION("philox", philox),
    HEADWATER_FUNCTION("permutation", permutation),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace headwater

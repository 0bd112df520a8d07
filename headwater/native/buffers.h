// Memory for intermediate results, kept for the next call.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace headwater {

// Memory of at least `bytes`, aligned for vector instructions; goes back to the pool at the end.
class Buffer {
 public:
  explicit Buffer(size_t bytes) {
    if (bytes == 0) return;
    {
      std::lock_guard<std::mutex> lock(mutex());
      auto& kept = pool();
      for (size_t i = 0; i < kept.size(); ++i) {
        if (kept[i].bytes >= bytes && kept[i].bytes <= 2 * bytes + kPage) {
          block_ = kept[i];
          kept[i] = kept.back();
          kept.pop_back();
          return;
        }
      }
    }
    block_.bytes = (bytes + kPage - 1) / kPage * kPage;
    block_.data = std::aligned_alloc(kAlignment, block_.bytes);
    if (block_.data == nullptr) throw std::bad_alloc();
  }

  Buffer(Buffer&& other) noexcept : block_(std::exchange(other.block_, {})) {}
  Buffer& operator=(Buffer&&) = delete;

  ~Buffer() {
    if (block_.data == nullptr) return;
    {
      std::lock_guard<std::mutex> lock(mutex());
      if (block_.bytes <= kLargest && pool().size() < kMostBuffers) {
        pool().push_back(block_);
        return;
      }
    }
    std::free(block_.data);
  }

  float* data() const { return static_cast<float*>(block_.data); }

 private:
  struct Block {
    void* data = nullptr;
    size_t bytes = 0;
  };
  static constexpr size_t kAlignment = 64;
  static constexpr size_t kPage = 4096;
  static constexpr size_t kLargest = size_t{16} << 20;
  static constexpr size_t kMostBuffers = 8;

  // Never destroyed: threads may still compute while the process ends.
  static std::mutex& mutex() {
    static auto* mutex = new std::mutex;
    return *mutex;
  }
  static std::vector<Block>& pool() {
    static auto* pool = new std::vector<Block>;
    return *pool;
  }

  Block block_;
};

}  // namespace headwater

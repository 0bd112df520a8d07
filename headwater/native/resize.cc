// Images resized by linear sampling.
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

namespace {

// Of each place in the result: the two places of the source around it, and how far it is from the
// first to the second.
struct Taps {
  int64_t count;
  const int64_t* first;
  const int64_t* second;
  const float* distance;
};

// Stretches a row of pixels. `kChannels` is their number if the compiler is to know it, or 0.
template <int kChannels, typename T>
void stretch(const T* row, const Taps& across, int64_t channels, float* result) {
  const int64_t count = kChannels ? kChannels : channels;
  for (int64_t x = 0; x < across.count; ++x) {
    const T* left = row + across.first[x] * count;
    const T* right = row + across.second[x] * count;
    const float distance = across.distance[x];
    for (int64_t i = 0; i < count; ++i) {
      const float from = left[i];
      *result++ = from + (static_cast<float>(right[i]) - from) * distance;
    }
  }
}

// Stretched rows, of which the last two are kept: neighbours in the result share them.
template <typename T>
class Rows {
 public:
  Rows(const T* image, int64_t stride, const Taps& across, int64_t channels)
      : image_(image), stride_(stride), across_(across), channels_(channels) {
    for (Row& row : kept_) row.values.resize(across.count * channels);
  }

  const float* find(int64_t number) {
    if (kept_[1].number == number) std::swap(kept_[0], kept_[1]);
    if (kept_[0].number != number) {
      std::swap(kept_[0], kept_[1]);
      const T* row = image_ + number * stride_;
      float* values = kept_[0].values.data();
      if (channels_ == 1) {
        stretch<1>(row, across_, channels_, values);
      } else if (channels_ == 3) {
        stretch<3>(row, across_, channels_, values);
      } else {
        stretch<0>(row, across_, channels_, values);
      }
      kept_[0].number = number;
    }
    return kept_[0].values.data();
  }

 private:
  struct Row {
    int64_t number = -1;
    std::vector<float> values;
  };
  const T* image_;
  const int64_t stride_;
  const Taps& across_;
  const int64_t channels_;
  Row kept_[2];
};

template <typename T>
void resize(const T* images, int64_t batch, int64_t image_stride, int64_t row_stride,
            int64_t channels, const Taps& down, const Taps& across, float* result) {
  const int64_t width = across.count * channels;
  for (int64_t image = 0; image < batch; ++image) {
    Rows<T> rows(images + image * image_stride, row_stride, across, channels);
    for (int64_t y = 0; y < down.count; ++y, result += width) {
      const float* top = rows.find(down.first[y]);
      const float* bottom = rows.find(down.second[y]);
      const float distance = down.distance[y];
      for (int64_t x = 0; x < width; ++x) result[x] = top[x] + (bottom[x] - top[x]) * distance;
    }
  }
}

}  // namespace

#pragma GCC visibility push(default)

// Resizes images of bytes or of floats, whose pixels follow each other in a row. `sizes` are the
// number of images, the values from one image and from one row to the next, the channels, and the
// new height and width. `rows` and `columns` have the first taps, then the second ones. Returns 0,
// or 1 if there is no memory.
extern "C" int headwater_resize_linear(const void* images, int of_floats, const int64_t* sizes,
                                       const int64_t* rows, const float* down,
                                       const int64_t* columns, const float* across, float* result) {
  try {
    const Taps vertical{sizes[4], rows, rows + sizes[4], down};
    const Taps horizontal{sizes[5], columns, columns + sizes[5], across};
    if (of_floats) {
      resize(static_cast<const float*>(images), sizes[0], sizes[1], sizes[2], sizes[3], vertical,
             horizontal, result);
    } else {
      resize(static_cast<const uint8_t*>(images), sizes[0], sizes[1], sizes[2], sizes[3], vertical,
             horizontal, result);
    }
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}

#pragma GCC visibility pop

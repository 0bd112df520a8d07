// The features of serialized Examples, read from their bytes. Whatever has not the form in which
// programs write Examples is left to the caller: the functions return 1.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

// Tags of fields 1 to 3 with a length. The lists of a Feature are strings, floats or integers.
enum Tag : uint8_t { kFirst = 0x0A, kSecond = 0x12, kThird = 0x1A };
constexpr Tag kStrings = kFirst, kFloats = kSecond;

constexpr int kLongestLength = 5;
constexpr int kLongestVarint = 10;

// Bytes that are still to be read.
struct Bytes {
  const uint8_t* at;
  const uint8_t* end;

  bool empty() const { return at == end; }
  int64_t size() const { return end - at; }

  // Takes a field with a tag and a length from the front.
  bool take(uint8_t tag, Bytes* field) {
    if (empty() || *at++ != tag) return false;
    uint64_t length = 0;
    for (int i = 0;; ++i) {
      if (empty() || i == kLongestLength) return false;
      const uint8_t byte = *at++;
      length |= uint64_t{byte & 0x7Fu} << (7 * i);
      if (byte < 0x80) break;
    }
    if (length > static_cast<uint64_t>(size())) return false;
    *field = {at, at + length};
    at += length;
    return true;
  }

  // Takes a field that fills what is left.
  bool take_all(uint8_t tag, Bytes* field) { return take(tag, field) && empty(); }
};

// The number of values of a list, whose packed numbers take the place of the list; -1 if unusual.
int64_t count_values(uint8_t tag, Bytes* list) {
  if (tag == kStrings) {
    int64_t count = 0;
    for (Bytes rest = *list, text; !rest.empty(); ++count) {
      if (!rest.take(kFirst, &text)) return -1;
    }
    return count;
  }
  if (list->empty()) return 0;
  Bytes rest = *list;
  if (!rest.take_all(kFirst, list)) return -1;
  if (tag == kFloats) return list->size() % 4 == 0 ? list->size() / 4 : -1;
  if (list->empty()) return 0;
  // The last byte of a varint has no highest bit.
  if (list->end[-1] >= 0x80) return -1;
  return std::count_if(list->at, list->end, [](uint8_t byte) { return byte < 0x80; });
}

// The columns of keys. Programs write features in one order, so the key that followed the last one
// before is tried first.
class Columns {
 public:
  Columns(const uint8_t* keys, const int64_t* key_ends, int64_t count) {
    for (int64_t i = 0, begin = 0; i < count; begin = key_ends[i++]) {
      const auto* key = reinterpret_cast<const char*>(keys + begin);
      columns_[std::string_view(key, key_ends[i] - begin)] = i;
    }
  }

  // The column of the key at a place in its message; -1 if it is not wanted.
  int64_t find(size_t place, const Bytes& bytes) {
    const std::string_view key(reinterpret_cast<const char*>(bytes.at), bytes.size());
    if (place < seen_.size() && seen_[place].key == key) return seen_[place].column;
    const auto found = columns_.find(key);
    const Seen seen{key, found == columns_.end() ? -1 : found->second};
    if (place < seen_.size()) {
      seen_[place] = seen;
    } else {
      seen_.push_back(seen);
    }
    return seen.column;
  }

 private:
  struct Seen {
    std::string_view key;
    int64_t column;
  };
  std::unordered_map<std::string_view, int64_t> columns_;
  std::vector<Seen> seen_;
};

// Where the lists of features are: row by row a column, in it the messages.
struct Lists {
  int64_t* begin;
  int64_t* end;
  int64_t* counts;
};

bool scan_feature(const uint8_t* data, Bytes value, uint8_t tag, const Lists& lists, int64_t place) {
  lists.begin[place] = lists.end[place] = 0;
  lists.counts[place] = -1;
  if (value.empty()) return true;
  Bytes list;
  if (!value.take_all(tag, &list)) return false;
  lists.counts[place] = count_values(tag, &list);
  lists.begin[place] = list.at - data;
  lists.end[place] = list.end - data;
  return lists.counts[place] >= 0;
}

bool read_integers(Bytes list, int64_t** values) {
  while (!list.empty()) {
    uint64_t value = 0;
    for (int i = 0;; ++i) {
      if (list.empty() || i == kLongestVarint) return false;
      const uint8_t byte = *list.at++;
      value |= uint64_t{byte & 0x7Fu} << (7 * i);
      if (byte < 0x80) break;
    }
    *(*values)++ = static_cast<int64_t>(value);
  }
  return true;
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

// Finds the lists of features of some messages, which end at `ends` in `data`.
//
// The keys, which end at `key_ends` in `keys`, have lists with certain tags. For each key and
// message: where its values begin and end, and their number, -1 if there is no list. The last
// feature of a key counts.
int headwater_scan_examples(const uint8_t* data, const int64_t* ends, int64_t messages,
                            const uint8_t* keys, const int64_t* key_ends, const uint8_t* tags,
                            int64_t key_count, int64_t* begin, int64_t* end, int64_t* counts) {
  try {
    Columns columns(keys, key_ends, key_count);
    const Lists lists{begin, end, counts};
    std::fill_n(begin, key_count * messages, 0);
    std::fill_n(end, key_count * messages, 0);
    std::fill_n(counts, key_count * messages, -1);
    for (int64_t message = 0, start = 0; message < messages; start = ends[message++]) {
      Bytes example{data + start, data + ends[message]}, features;
      if (example.empty()) continue;
      if (!example.take_all(kFirst, &features)) return 1;
      for (size_t place = 0; !features.empty(); ++place) {
        Bytes entry, key, value;
        if (!features.take(kFirst, &entry) || !entry.take(kFirst, &key) ||
            !entry.take_all(kSecond, &value)) {
          return 1;
        }
        const int64_t column = columns.find(place, key);
        if (column >= 0 &&
            !scan_feature(data, value, tags[column], lists, column * messages + message)) {
          return 1;
        }
      }
    }
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}

// Reads the values of lists that were found, all with one tag. Numbers are put into `values`; of
// strings, where they begin is put there, and where they end into `ends`.
int headwater_read_lists(const uint8_t* data, uint8_t tag, const int64_t* begin, const int64_t* end,
                         int64_t lists, void* values, int64_t* ends) {
  auto* integers = static_cast<int64_t*>(values);
  auto* floats = static_cast<uint8_t*>(values);
  for (int64_t i = 0; i < lists; ++i) {
    Bytes list{data + begin[i], data + end[i]};
    if (tag == kStrings) {
      for (Bytes text; !list.empty(); *integers++ = text.at - data, *ends++ = text.end - data) {
        if (!list.take(kFirst, &text)) return 1;
      }
    } else if (tag == kFloats) {
      floats = std::copy(list.at, list.end, floats);
    } else if (!read_integers(list, &integers)) {
      return 1;
    }
  }
  return 0;
}

}  // extern "C"

#pragma GCC visibility pop

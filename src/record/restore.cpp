#include "record/restore.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "record/new_file.h"

namespace lowtide::record {
namespace {

constexpr std::size_t kFileHeaderBytes = 100;
constexpr std::uint64_t kMostBytes = 64U << 20U;
constexpr std::size_t kFormatAt = 18;     // two bytes of the header: 1 without a log, 2 with one
constexpr std::size_t kPageCountAt = 28;  // four bytes, big-endian

struct FreeImage {
  void operator()(unsigned char* image) const { sqlite3_free(image); }
};
using Image = std::unique_ptr<unsigned char, FreeImage>;

base::Error refuse(const char* why) {
  return {base::ErrorCode::Unsupported, why};
}

base::Result<std::vector<unsigned char>> make_new_one() {
  auto made = Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY);
  if (!made.ok()) {
    return std::move(made).error();
  }
  if (made.value().execute(tables_sql().c_str()) != SQLITE_OK) {
    return made.value().error();
  }
  sqlite3_int64 bytes = 0;
  const Image image(sqlite3_serialize(made.value().handle(), "main", &bytes, 0));
  if (image == nullptr) {
    return refuse("no memory");
  }
  return std::vector<unsigned char>(image.get(), image.get() + bytes);
}

}  // namespace

base::Result<Database> restore_tables(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> found(kMostBytes + 1);
  file.read(found.data(), static_cast<std::streamsize>(found.size()));
  found.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (found.size() > kMostBytes) {
    return refuse("the file is too large");
  }
  const auto fresh = make_new_one();
  if (!fresh.ok()) {
    return fresh.error();
  }
  const std::size_t whole_pages = found.size() / kPageBytes;
  if (whole_pages == 0 ||
      std::memcmp(found.data() + kFileHeaderBytes, fresh.value().data() + kFileHeaderBytes,
                  kPageBytes - kFileHeaderBytes) != 0) {
    return refuse("it has other tables");
  }
  const std::size_t pages = std::max(whole_pages, fresh.value().size() / kPageBytes);
  const std::size_t bytes = pages * kPageBytes;
  Image image(static_cast<unsigned char*>(sqlite3_malloc64(bytes)));
  if (image == nullptr) {
    return refuse("no memory");
  }
  std::memcpy(image.get(), fresh.value().data(), fresh.value().size());
  std::memcpy(image.get(), found.data(), whole_pages * kPageBytes);
  std::memset(image.get() + kFormatAt, 1, 2);
  for (std::size_t at = 0; at < 4; ++at) {
    image.get()[kPageCountAt + at] = static_cast<unsigned char>(pages >> (24 - 8 * at));
  }
  auto opened = Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY);
  if (!opened.ok()) {
    return opened;
  }
  if (sqlite3_deserialize(opened.value().handle(), "main", image.release(), static_cast<sqlite3_int64>(bytes),
                          static_cast<sqlite3_int64>(bytes),
                          SQLITE_DESERIALIZE_READONLY | SQLITE_DESERIALIZE_FREEONCLOSE) != SQLITE_OK) {
    return opened.value().error();
  }
  return opened;
}

}  // namespace lowtide::record

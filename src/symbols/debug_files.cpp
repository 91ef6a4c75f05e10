#include "symbols/debug_files.h"

#include <elfutils/libdwelf.h>
#include <lzma.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

namespace lowtide::symbols {
namespace {

constexpr std::size_t kMostMiniBytes = 64U << 20U;
constexpr std::uint64_t kMostLzmaBytes = 256U << 20U;

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t index = 0; index < table.size(); ++index) {
    std::uint32_t value = index;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1U) != 0 ? 0xEDB88320U ^ (value >> 1U) : value >> 1U;
    }
    table[index] = value;
  }
  return table;
}

// The checksum of .gnu_debuglink, over the whole file.
std::uint32_t read_crc(int fd) {
  static constexpr std::array<std::uint32_t, 256> kTable = make_crc_table();
  std::vector<unsigned char> piece(1U << 20U);
  std::uint32_t crc = ~0U;
  off_t at = 0;
  for (ssize_t got = 0; (got = ::pread(fd, piece.data(), piece.size(), at)) > 0; at += got) {
    for (ssize_t index = 0; index < got; ++index) {
      crc = kTable[(crc ^ piece[static_cast<std::size_t>(index)]) & 0xFFU] ^ (crc >> 8U);
    }
  }
  return ~crc;
}

std::optional<ElfFile> accept(base::Fd fd, const ElfFile& file, std::optional<std::uint32_t> crc) {
  if (!fd.valid()) {
    return std::nullopt;
  }
  const bool by_crc = file.build_id().empty();
  if (by_crc && (!crc || read_crc(fd.get()) != *crc)) {
    return std::nullopt;
  }
  auto found = ElfFile::open(std::move(fd));
  if (!found || (!by_crc && found.value().build_id() != file.build_id())) {
    return std::nullopt;
  }
  return std::move(found).value();
}

struct Candidate {
  std::string path;
  std::optional<std::uint32_t> crc;
};

std::vector<Candidate> candidates_of(const ElfFile& file, const std::string& path) {
  std::vector<Candidate> candidates;
  if (file.build_id().size() >= 2) {
    const std::string hex = to_hex(file.build_id());
    candidates.push_back(
        {"/usr/lib/debug/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug", {}});
  }
  GElf_Word crc = 0;
  const char* link = dwelf_elf_gnu_debuglink(file.handle(), &crc);
  const std::string_view name = link == nullptr ? std::string_view{} : link;
  // It names a file beside the program, not one anywhere.
  if (!name.empty() && name.find('/') == std::string_view::npos && path.starts_with('/')) {
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    for (const std::string& place : {folder, folder + ".debug/", "/usr/lib/debug" + folder}) {
      if (place + std::string(name) != path) {
        candidates.push_back({place + std::string(name), crc});
      }
    }
  }
  return candidates;
}

}  // namespace

std::optional<ElfFile> find_debug_file(const ElfFile& file, const std::string& path,
                                       const TargetFiles& files) {
  for (const Candidate& candidate : candidates_of(file, path)) {
    if (auto found = accept(files.open(candidate.path), file, candidate.crc)) {
      return found;
    }
    if (auto found = accept(open_regular(candidate.path), file, candidate.crc)) {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<ElfFile> find_mini_debuginfo(const ElfFile& file) {
  const std::span<const std::byte> packed = file.section_bytes(file.find_section(".gnu_debugdata"));
  if (packed.empty()) {
    return std::nullopt;
  }
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMostLzmaBytes, 0) != LZMA_OK) {
    return std::nullopt;
  }
  std::vector<std::byte> plain;
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK && plain.size() < kMostMiniBytes) {
    const std::size_t before = plain.size();
    plain.resize(std::min(kMostMiniBytes, std::max<std::size_t>(65536, 2 * before)));
    stream.next_out = reinterpret_cast<std::uint8_t*>(plain.data() + before);
    stream.avail_out = plain.size() - before;
    status = lzma_code(&stream, LZMA_FINISH);
    plain.resize(plain.size() - stream.avail_out);
    if (stream.avail_out != 0 && status == LZMA_OK) {
      break;  // no more comes, and it is not the end
    }
  }
  lzma_end(&stream);
  if (status != LZMA_STREAM_END) {
    return std::nullopt;
  }
  auto found = ElfFile::open(std::move(plain));
  return found ? std::optional(std::move(found).value()) : std::nullopt;
}

}  // namespace lowtide::symbols

#include "gpu/uuid.h"

#include <cstddef>
#include <cstring>

namespace lowtide::gpu {

std::string uuid_text(const std::array<std::uint64_t, 2>& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::array<unsigned char, sizeof(bytes)> octets{};
  std::memcpy(octets.data(), bytes.data(), octets.size());
  std::string out = "GPU";
  for (std::size_t at = 0; at < octets.size(); ++at) {
    if (at == 0 || at == 4 || at == 6 || at == 8 || at == 10) out += '-';
    out += kDigits[octets[at] >> 4U];
    out += kDigits[octets[at] & 0xfU];
  }
  return out;
}

}  // namespace lowtide::gpu

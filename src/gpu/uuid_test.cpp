#include "gpu/uuid.h"

#include <gtest/gtest.h>

#include <cstring>

namespace lowtide::gpu {
namespace {

TEST(uuid, is_written_as_the_driver_writes_it) {
  const unsigned char octets[16] = {0x8f, 0x6d, 0x2b, 0x1c, 0x00, 0x11, 0x22, 0x33,
                                    0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0x0f};
  std::array<std::uint64_t, 2> bytes{};
  std::memcpy(bytes.data(), octets, sizeof(octets));

  EXPECT_EQ(uuid_text(bytes), "GPU-8f6d2b1c-0011-2233-4455-66778899aa0f");
}

}  // namespace
}  // namespace lowtide::gpu

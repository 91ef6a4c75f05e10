// Any bytes as the output of a job: no line of it can move the cursor.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "screen/job_words.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 50;
  const auto lines = lowtide::screen::last_lines({reinterpret_cast<const char*>(data), size}, kMost);
  LOWTIDE_CHECK(lines.size() <= kMost, "more lines than were asked for");
  for (const std::string& line : lines) {
    for (const char c : line) {
      const auto byte = static_cast<std::uint8_t>(c);
      LOWTIDE_CHECK(byte >= 0x20 && byte != 0x7F, "a control byte");
    }
  }
  return 0;
}

// Captures itself and prints its maps: what a test unwinds that cannot live in the
// same process, since the program is static, or of the other architecture.
//
//   subject outer|qsort|signal|deep|realigned
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "symbols/test_calls.h"

namespace {

void print(const lowtide::symbols::Capture& capture) {
  std::printf("pc %" PRIx64 "\nregisters", capture.registers.pc);
  for (unsigned number = 0; number < lowtide::symbols::kRegisterCount; ++number) {
    if (capture.registers.has(number)) {
      std::printf(" %u=%" PRIx64, number, capture.registers.general[number]);
    }
  }
  std::printf("\nstack ");
  for (const std::byte byte : capture.stack) {
    std::printf("%02x", std::to_integer<unsigned>(byte));
  }
  std::printf("\nmaps\n");
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr) {
    return;
  }
  char line[5000];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    std::fputs(line, stdout);
  }
  (void)std::fclose(maps);
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "outer";
  lowtide::symbols::Capture capture;
  if (std::strcmp(what, "qsort") == 0) {
    calls_through_qsort(&capture);
  } else if (std::strcmp(what, "signal") == 0) {
    calls_into_signal(&capture);
  } else if (std::strcmp(what, "deep") == 0) {
    calls_deep(&capture, 40);
  } else if (std::strcmp(what, "realigned") == 0) {
    calls_realigned(&capture);
  } else {
    calls_outer(&capture);
  }
  print(capture);
  return 0;
}

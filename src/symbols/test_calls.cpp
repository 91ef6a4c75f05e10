#include "symbols/test_calls.h"

#include <csignal>
#include <cstdlib>

namespace {

using lowtide::symbols::Capture;

constexpr std::size_t kMostBytes = 16384;
Capture* current = nullptr;
// What is written here cannot be thought away, so no call becomes a jump.
volatile int sink = 0;

}  // namespace

extern "C" {

[[gnu::noinline]] void calls_inner(Capture* into, int value) {
  lowtide::symbols::capture_here(*into, kMostBytes);
  sink = value;
}

[[gnu::noinline]] void calls_middle(Capture* into) {
  volatile unsigned char room[300];
  room[0] = 1;
  calls_inner(into, room[0]);
  sink = room[0];
}

[[gnu::noinline]] void calls_outer(Capture* into) {
  calls_middle(into);
  sink = 3;
}

[[gnu::noinline]] int calls_compare(const void* left, const void* right) {
  lowtide::symbols::capture_here(*current, kMostBytes);
  return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

[[gnu::noinline]] void calls_through_qsort(Capture* into) {
  current = into;
  int numbers[] = {2, 1};
  std::qsort(numbers, 2, sizeof numbers[0], calls_compare);
  sink = numbers[0];
}

[[gnu::noinline]] void calls_handler(int number) {
  lowtide::symbols::capture_here(*current, kMostBytes);
  sink = number;
}

[[gnu::noinline]] void calls_into_signal(Capture* into) {
  current = into;
  const auto before = std::signal(SIGUSR1, calls_handler);
  std::raise(SIGUSR1);
  std::signal(SIGUSR1, before);
  sink = 5;
}

// NOLINTNEXTLINE(misc-no-recursion): depth is what it is for
[[gnu::noinline]] void calls_deep(Capture* into, int depth) {
  if (depth <= 1) {
    calls_inner(into, depth);
  } else {
    calls_deep(into, depth - 1);
  }
  sink = depth;
}

[[gnu::noinline]] void calls_realigned(Capture* into) {
  alignas(128) volatile unsigned char aligned[256];
  // A frame of unknown size cannot be kept by the stack pointer.
  auto* unknown = static_cast<volatile unsigned char*>(__builtin_alloca(static_cast<std::size_t>(sink) + 64));
  unknown[0] = 1;
  aligned[0] = unknown[0];
  calls_inner(into, aligned[0]);
  sink = aligned[0];
}
}

// What it costs the monitor to unwind a copied stack and to name its frames.
//
// The stack is this program's own: a chain of functions without frame pointers,
// of the depth that is named. "seen" is what nearly every sample of a job is,
// "first" what the first of each place costs.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "base/check.h"
#include "symbols/address_space.h"
#include "symbols/symbolizer.h"
#include "symbols/test_calls.h"
#include "symbols/unwinder.h"

namespace {

namespace symbols = lowtide::symbols;

constexpr unsigned kOwnFrames = 4;  // capture_here, and what begins a thread

template <unsigned Depth>
[[gnu::noinline]] void descend(symbols::Capture& into) {
  // Each with a frame of its own size, so that no two share a rule by chance.
  std::array<char, 16 + 24 * (Depth % 7)> room{};
  benchmark::DoNotOptimize(room.data());
  if constexpr (Depth > 1) {
    descend<Depth - 1>(into);
  } else {
    symbols::capture_here(into, 16384);
  }
  benchmark::DoNotOptimize(room.data());
}

struct Self {
  Self() : space(store, {.pid = static_cast<std::int32_t>(::getpid())}) {
    LOWTIDE_CHECK(space.refresh().ok(), "own maps can be read");
  }
  symbols::ImageStore store;
  symbols::AddressSpace space;
};

// In a thread of its own: the frames of Google Benchmark are larger than a copy.
symbols::Capture capture_deep() {
  symbols::Capture capture;
  std::thread([&capture] { descend<40 - kOwnFrames>(capture); }).join();
  return capture;
}

void unwind_seen(benchmark::State& state) {
  Self self;
  const symbols::Capture capture = capture_deep();
  symbols::Unwinder unwinder(self.space);
  std::vector<std::uint64_t> addresses;
  for (auto _ : state) {
    const auto end = unwinder.unwind(capture.registers, capture.stack, addresses);
    LOWTIDE_CHECK(end == symbols::StackEnd::Outermost, symbols::to_word(end).data());
  }
  state.counters["frames"] = static_cast<double>(addresses.size());
}
BENCHMARK(unwind_seen);

void unwind_first(benchmark::State& state) {
  Self self;
  const symbols::Capture capture = capture_deep();
  symbols::Unwinder unwinder(self.space);
  std::vector<std::uint64_t> addresses;
  unwinder.unwind(capture.registers, capture.stack, addresses);
  for (auto _ : state) {
    unwinder.forget();
    benchmark::DoNotOptimize(unwinder.unwind(capture.registers, capture.stack, addresses));
  }
  state.counters["frames"] = static_cast<double>(addresses.size());
}
BENCHMARK(unwind_first);

void name_seen(benchmark::State& state) {
  Self self;
  symbols::Symbolizer symbolizer;
  const auto address = reinterpret_cast<std::uint64_t>(&calls_outer);
  for (auto _ : state) {
    benchmark::DoNotOptimize(symbolizer.symbolize(self.space, address));
  }
}
BENCHMARK(name_seen);

// Another address of the same file each time.
void name_first(benchmark::State& state) {
  Self self;
  symbols::Symbolizer symbolizer;
  auto address = reinterpret_cast<std::uint64_t>(&calls_outer);
  const auto place = self.space.find(address);
  LOWTIDE_CHECK(place && place->image != nullptr, "own code");
  for (auto _ : state) {
    benchmark::DoNotOptimize(place->image->find_frames(place->address));
  }
}
BENCHMARK(name_first);

void parse_own_maps(benchmark::State& state) {
  const auto text = symbols::read_maps_text("/proc", static_cast<std::int32_t>(::getpid()));
  LOWTIDE_CHECK(text.ok(), "own maps can be read");
  for (auto _ : state) {
    benchmark::DoNotOptimize(symbols::parse_maps(text.value()));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(text.value().size()));
}
BENCHMARK(parse_own_maps);

}  // namespace

BENCHMARK_MAIN();

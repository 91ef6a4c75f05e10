// judge: the speed and the memory of the detector.
//
// Every figure has a twin from the same run on the same machine: the loop that
// only reads the samples and sums them. The ratio travels between machines, the
// absolute figure does not.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/units.h"
#include "judge/detector.h"
#include "judge/heap_count.h"
#include "judge/stream.h"
#include "verdict/trend.h"

namespace {

using namespace lowtide::bench;  // NOLINT(google-build-using-namespace): a main of this very module
using lowtide::judge::Detector;
using lowtide::model::Sample;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kBlock = 1U << 16U;
constexpr double kLeastSamplesPerSecond = 10e6;
constexpr double kMostVerdictSeconds = 1e-3;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Reads what add() has to read, and no more.
struct BareLoop {
  double sum = 0;
  void add(const Sample& sample) { sum += sample.at_s + static_cast<double>(sample.bytes); }
};

template <typename Consumer>
double time_adds(Shape shape, std::size_t samples, Consumer& consumer) {
  Stream stream(shape);
  double seconds = 0;
  for (std::size_t done = 0; done < samples;) {
    const std::vector<Sample>& block = stream.next(std::min(kBlock, samples - done));
    const auto begin = Clock::now();
    for (const Sample& sample : block) consumer.add(sample);
    seconds += seconds_since(begin);
    done += block.size();
  }
  return seconds;
}

// Returns the slowest rate of all shapes, samples per second.
double report_speed(std::size_t samples, int rounds) {
  fmt::print("Samples through Detector::add, one core, {} samples, median of {}\n\n",
             lowtide::base::format_count(samples), rounds);
  fmt::print("| series | M samples/s | ns per sample | times the bare loop |\n|---|---:|---:|---:|\n");
  double slowest = 1e300;
  double kept = 0;  // so that the bare loop is not optimised away
  for (const Shape shape : {Shape::Noise, Shape::Ramp, Shape::StepsAndTime, Shape::Spikes}) {
    std::vector<double> ours;
    std::vector<double> bare;
    for (int round = 0; round < rounds; ++round) {
      Detector detector;
      ours.push_back(time_adds(shape, samples, detector));
      kept += static_cast<double>(detector.samples());
      BareLoop loop;
      bare.push_back(time_adds(shape, samples, loop));
      kept += loop.sum;
    }
    const double seconds = median(ours);
    const double rate = static_cast<double>(samples) / seconds;
    slowest = std::min(slowest, rate);
    fmt::print("| {} | {:.1f} | {:.1f} | {:.1f} |\n", to_string(shape), rate / 1e6, 1e9 / rate,
               seconds / median(bare));
  }
  [[maybe_unused]] const volatile double sink = kept;
  return slowest;
}

struct VerdictCost {
  double slowest_s = 0;
  std::size_t least_bytes = SIZE_MAX;
  std::size_t most_bytes = 0;  // from 10,000 samples on
};

void report_at(Shape shape, std::size_t samples, Detector& detector, Stream& stream, std::size_t heap_before,
               VerdictCost& cost) {
  constexpr int kCalls = 200;
  const std::size_t held = sizeof(Detector) + heap_live_bytes() - heap_before;
  std::vector<double> seconds;
  std::size_t transient = 0;
  for (int call = 0; call < kCalls; ++call) {
    detector.add(stream.next(1).front());  // a verdict on something new each time
    reset_heap_peak();
    const std::size_t live = heap_live_bytes();
    const auto begin = Clock::now();
    const auto verdict = detector.verdict();
    const double taken = seconds_since(begin);
    transient = std::max(transient, heap_peak_bytes() - live);
    seconds.push_back(taken);
  }
  const double worst = *std::max_element(seconds.begin(), seconds.end());
  // The slowest call of 200 is the scheduler's on a busy machine; the 99th of 100 is ours.
  const double p99 = quantile(seconds, 0.99);
  cost.slowest_s = std::max(cost.slowest_s, p99);
  if (samples >= 10000) {
    cost.least_bytes = std::min(cost.least_bytes, held);
    cost.most_bytes = std::max(cost.most_bytes, held);
  }
  fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {} | {} |\n", to_string(shape),
             lowtide::base::format_count(samples), 1e6 * median(seconds), 1e6 * p99, 1e6 * worst,
             lowtide::base::format_bytes(static_cast<double>(held)),
             lowtide::base::format_bytes(static_cast<double>(transient)));
}

VerdictCost report_verdicts(std::size_t most_samples) {
  fmt::print("\nDetector::verdict, and what a detector holds\n\n");
  fmt::print("| series | samples | median us | p99 us | worst us | held | more while judging |\n");
  fmt::print("|---|---:|---:|---:|---:|---:|---:|\n");
  VerdictCost cost;
  for (const Shape shape : {Shape::Noise, Shape::Ramp, Shape::StepsAndTime, Shape::Spikes}) {
    Stream stream(shape);
    (void)stream.next(kBlock);  // the block is allocated before the counting begins
    const std::size_t heap_before = heap_live_bytes();
    const auto detector = std::make_unique<Detector>();
    const std::size_t heap_of_object = heap_live_bytes() - heap_before;
    std::size_t done = 0;
    for (const std::size_t samples :
         {std::size_t{100}, std::size_t{10000}, std::size_t{1000000}, std::size_t{10000000}}) {
      if (samples > most_samples) break;
      while (done < samples) {
        const std::vector<Sample>& block = stream.next(std::min(kBlock, samples - done));
        for (const Sample& sample : block) detector->add(sample);
        done += block.size();
      }
      report_at(shape, samples, *detector, stream, heap_before + heap_of_object, cost);
    }
  }
  return cost;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t samples = 10000000;
  int rounds = 3;
  bool check = false;
  CLI::App app{"Measures the speed and the memory of lowtide's detector"};
  app.add_option("--n", samples, "samples in a series")->capture_default_str();
  app.add_option("--rounds", rounds, "of every speed")->capture_default_str();
  app.add_flag("--check", check, "exit 1 below 10 M samples/s, above 1 ms a verdict, or when memory grows");
  CLI11_PARSE(app, argc, argv);

  const double slowest = report_speed(samples, rounds);
  const VerdictCost cost = report_verdicts(samples);
  if (!check) return 0;

  int broken = 0;
  const auto expect = [&](bool kept, const char* what) {
    if (kept) return;
    fmt::print(stderr, "judge: broken: {}\n", what);
    broken = 1;
  };
  expect(slowest >= kLeastSamplesPerSecond, "10 M samples/s through the detector");
  expect(cost.slowest_s <= kMostVerdictSeconds, "a verdict within 1 ms");
  // A buffer may double once after ten thousand samples; a thousand times the samples may not show.
  expect(cost.most_bytes <= 2 * cost.least_bytes, "memory that does not grow with the series");
  return broken;
}

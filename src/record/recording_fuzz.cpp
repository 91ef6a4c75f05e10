// A recording with any bytes changed, or cut anywhere: opened or refused, read or
// warned of, never a crash, and what is read is memory that can be.
//
// The input is a list of changes of five bytes each, four for the place and one
// for the value, to a recording that is made here; so no database lies in the
// repository. The first byte is how much of the file's end is cut off.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "base/check.h"
#include "record/reader.h"
#include "record/test_ticks.h"

namespace {

namespace model = lowtide::model;
namespace record = lowtide::record;

const record::TemporaryFolder& folder() {
  static const record::TemporaryFolder kMade;
  return kMade;
}

std::string make_seed() {
  const std::string path = folder().path("seed.db");
  {
    record::Writer writer = record::make_writer(path, 3);
    for (int at_s = 0; at_s < 40; ++at_s) {
      writer.add(record::make_tick(at_s, 3));
    }
    writer.add_event({.kind = model::EventKind::OomKill, .at_s = 3, .text = "killed"}, {});
    writer.add_judgement({.at_s = 5, .verdict = {}, .forecast = model::Forecast{}});
    writer.close();
  }
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void check(const record::Point& point) {
  LOWTIDE_CHECK(std::isfinite(point.at_s) && point.span_s >= 0 && point.count >= 1,
                "a stretch that cannot be");
  LOWTIDE_CHECK(point.low_bytes <= point.high_bytes && !std::isinf(point.step), "values that cannot be");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string kSeed = make_seed();
  std::string bytes = kSeed;
  for (std::size_t at = 1; at + 5 <= size; at += 5) {
    std::size_t place = 0;
    for (std::size_t byte = 0; byte < 4; ++byte) {
      place = place << 8U | data[at + byte];
    }
    bytes[place % bytes.size()] = static_cast<char>(data[at + 4]);
  }
  if (size > 0 && data[0] >= 128) {
    bytes.resize(bytes.size() * (255U - data[0]) / 128);
  }
  const std::string path = folder().path("changed.db");
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;

  auto opened = record::Recording::open(path);
  if (!opened.ok()) {
    LOWTIDE_CHECK(!opened.error().message.empty(), "an error without words");
    return 0;
  }
  record::Recording& recording = opened.value();
  recording.processes();
  recording.events();
  recording.judgements();
  recording.for_each_target([](const auto& point) { check(point); });
  recording.for_each_process_point([](const auto& point) { check(point); });
  recording.for_each_cgroup([](const auto& point) { check(point); });
  recording.for_each_host([](const auto& point) { check(point); });
  recording.for_each_tmpfs([](const auto& point) { check(point); });
  recording.for_each_gpu([](const auto& point) { check(point); });
  recording.for_each_gpu_process([](const auto& point) { check(point); });
  return 0;
}

// Shapes against the reference: a reader that learns shapes and one that analyses
// every line by itself must find exactly the same.

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "ingest/log_reader.h"
#include "ingest/testing/collecting_sink.h"

namespace {

bool same(double left, double right) {
  return std::bit_cast<std::uint64_t>(left) == std::bit_cast<std::uint64_t>(right) || left == right;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace ingest = lowtide::ingest;
  // Twice over, so that every shape is met again.
  std::string text(reinterpret_cast<const char*>(data), size);
  text += '\n';
  text += text;
  ingest::CollectingSink fast;
  ingest::CollectingSink slow;
  const auto fast_summary = ingest::read_log_text(text, fast, {.use_shapes = true});
  const auto slow_summary = ingest::read_log_text(text, slow, {.use_shapes = false});
  LOWTIDE_CHECK(fast_summary.ok() == slow_summary.ok(), "both find something, or neither");
  LOWTIDE_CHECK(fast.runs.size() == slow.runs.size(), "the same runs");
  LOWTIDE_CHECK(fast.events.size() == slow.events.size(), "the same events");
  LOWTIDE_CHECK(fast.series.size() == slow.series.size(), "the same series");
  for (std::size_t i = 0; i < fast.series.size(); ++i) {
    const auto& left = fast.series[i];
    const auto& right = slow.series[i];
    LOWTIDE_CHECK(left.info.name == right.info.name && left.info.quantity == right.info.quantity,
                  "the same names");
    LOWTIDE_CHECK(left.samples.size() == right.samples.size() && left.lines == right.lines,
                  "the same readings");
    for (std::size_t k = 0; k < left.samples.size(); ++k) {
      LOWTIDE_CHECK(left.samples[k].bytes == right.samples[k].bytes, "the same bytes");
      LOWTIDE_CHECK(same(left.samples[k].step, right.samples[k].step), "the same steps");
      LOWTIDE_CHECK(same(left.samples[k].at_s, right.samples[k].at_s), "the same times");
    }
  }
  return 0;
}

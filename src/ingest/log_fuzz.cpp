// The whole reader on arbitrary bytes: no crash, no hang, no reading that cannot be.

#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "ingest/log_reader.h"
#include "ingest/testing/collecting_sink.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace ingest = lowtide::ingest;
  ingest::CollectingSink recorder;
  const auto summary = ingest::read_log_text({reinterpret_cast<const char*>(data), size}, recorder);
  for (const ingest::RecordedSeries& series : recorder.series) {
    LOWTIDE_CHECK(!series.samples.empty() || !summary, "a series begins with a reading");
    for (const lowtide::model::Sample& sample : series.samples) {
      LOWTIDE_CHECK(sample.bytes <= 1'000'000'000'000'000'000ULL, "no reading of an exabyte");
      LOWTIDE_CHECK(!std::isinf(sample.at_s) && !std::isinf(sample.step),
                    "times and steps are finite or unknown");
    }
  }
  return 0;
}

#include "explain/evidence/retention_by_age.h"

namespace lowtide::explain {
namespace {

constexpr double kKeeps = 0.8;  // of what could be freed is still there

double difference(std::uint64_t last, std::uint64_t first) {
  return static_cast<double>(last) - static_cast<double>(first);
}

}  // namespace

RetentionByAge keeping_of(const SiteMoment& first, const SiteMoment& last) {
  RetentionByAge out;
  if (last.old) {
    const model::OldSamples then = first.old.value_or(model::OldSamples{});
    out.samples = difference(last.old->samples, then.samples);
    out.freed_samples = difference(last.old->freed_samples, then.freed_samples);
    const bool keeps = out.samples > 0 && out.samples >= kKeeps * (out.samples + out.freed_samples);
    if (keeps) out.bytes = difference(last.old->bytes, then.bytes);
    return out;
  }
  // By bytes: small temporaries beside large blocks are many samples.
  const double bytes = difference(last.live_bytes, first.live_bytes);
  out.samples = difference(last.live_samples, first.live_samples);
  out.freed_samples = difference(last.allocated_samples, first.allocated_samples) - out.samples;
  if (bytes > 0 && bytes >= kKeeps * difference(last.allocated_bytes, first.allocated_bytes))
    out.bytes = bytes;
  return out;
}

}  // namespace lowtide::explain

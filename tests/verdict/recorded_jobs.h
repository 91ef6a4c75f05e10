// Recordings of jobs with a known truth and random parameters, like the jobs of the zoo: a corpus for the
// verdicts that more than a series decides (explain/settle). Written by the real writer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "record/writer.h"
#include "verdict/rng.h"

namespace lowtide::bench {

struct JobFamily {
  std::string_view name;
  bool leaks = false;
  double weight = 1;  // how many of them are in the corpus, beside the others
  void (*play)(record::Writer& writer, Rng& rng) = nullptr;
};

std::span<const JobFamily> job_families();

// Writes the recording of one job; an empty string, or what stood in the way.
std::string write_job(const JobFamily& family, Rng& rng, const std::string& path);

}  // namespace lowtide::bench

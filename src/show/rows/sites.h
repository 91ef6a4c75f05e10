// The places that allocate, as rows.
#pragma once

#include <string>
#include <vector>

#include "model/report.h"

namespace lowtide::show {

struct SiteRow {
  const model::SiteReport* site = nullptr;  // that of the first process
  std::string place;                        // "trainer.py:631 in validate"
  std::string verdict;                      // "leak", "warmup, ended at step 85"
  std::string share;                        // of the growth of all live memory; "-" where nothing grew
  std::string live;
  std::string growth;  // "396 MB ± 12.8 MB"; "-" where it is within its error
  std::string where;   // "pid 4711", "20 processes"
};

// The sites that matter, most growth first. Without growth: those that hold most. A line that behaves alike
// in several processes is one row. All text is printable.
std::vector<SiteRow> site_rows(const model::Report& report, std::size_t most);

// The frame to act on: "trainer.py:631 in validate"; "an unknown place" without one. Printable.
std::string site_place(const std::vector<model::Frame>& frames, std::size_t act_on);

// "trainer.py:631 in validate", "decode_frame in libdecoder.so"; printable.
std::string frame_place(const model::Frame& frame);

// The same with the whole path of the file: "/data/job/trainer.py:631 in validate".
std::string frame_words(const model::Frame& frame);

// What the line calls, from the line inwards to the allocation, as far as it is known.
std::vector<const model::Frame*> frames_below(const model::SiteReport& site, std::size_t most);

}  // namespace lowtide::show

// The words that say what a number is, and the class of each.
#pragma once

#include <cstdint>
#include <string_view>

namespace lowtide::ingest {

enum class WordClass : std::uint8_t {
  Memory,    // says memory, nothing more
  Resident,  // memory of a process, and how it is counted
  Used,
  Allocated,
  Reserved,
  Gpu,
  Host,
  Process,
  System,
  Container,
  Total,
  Peak,
  Deny,
  Virtual,
  Percent,
  Duration,  // of a part of the work, not a point in time
  Time,
  Step,
  Epoch,
  Pid,
  Name,
  Index,
  Rank,
  Filler,
};

struct Word {
  std::string_view text;
  WordClass is;
  int rank = 0;
};

// The word, or null when the vocabulary does not have it. Lower case.
const Word* find_word(std::string_view lower);

// Seconds per unit of time ("ms", "min"); 0 when it is none.
double time_unit(std::string_view lower);

}  // namespace lowtide::ingest

// The vocabulary: what the words around a number say about it.
//
// Column names, keys of dicts and phrases in log lines are read by the same
// rules, so "rss_mb", "Process RAM" and "memory.used [MiB]" need no list of
// spellings: each is cut into words, every word has a meaning (one table, in
// vocabulary.cpp), and the meanings together say what is measured.
#pragma once

#include <string>
#include <string_view>

#include "ingest/facts.h"

namespace lowtide::ingest {

// What a phrase says of the number that belongs to it.
struct Meaning {
  Role role = Role::None;  // Memory, Limit, Peak, Percent, Step, Epoch, Seconds, Pid, Gpu, Rank, Name, None
  model::Quantity quantity = model::Quantity::ProcessMemory;
  int rank = 0;              // of two numbers for the same quantity the higher one is used
  double scale = 0;          // bytes (or seconds) per unit; 0 = the phrase names no unit
  bool says_memory = false;  // a word for memory itself is there ("ram", "rss", "memory")
  bool says_gpu = false;
  bool says_host = false;
  bool says_used = false;
  bool denied = false;  // a word is there that makes it something else ("free", "virtual", "bandwidth")
  bool percent = false;
  std::string rest;  // the words the vocabulary does not know, e.g. "main worker"
};

Meaning meaning_of(std::string_view phrase);

// The same, where the phrase stands in a line that has already said `subject`
// ("Memory usage (cuda): alloc cur ... reserved cur ...").
Meaning meaning_of(std::string_view phrase, const Meaning& subject);

// The GPU that a column or a key names: "system.gpu.1.memory", "gpu0_mem". -1 = none.
int gpu_in_name(std::string_view name);

// Bytes per unit for a unit as written beside a number; 0 when it is none.
double size_unit(std::string_view word);

// Removes what changes from place to place and says nothing: "Process RAM:" -> "process ram".
std::string tidy_label(std::string_view phrase);

bool equal_ignoring_case(std::string_view left, std::string_view right);
std::size_t find_ignoring_case(std::string_view text, std::string_view lower_word);
inline bool contains_ignoring_case(std::string_view text, std::string_view lower_word) {
  return find_ignoring_case(text, lower_word) != std::string_view::npos;
}

}  // namespace lowtide::ingest

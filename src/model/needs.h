// What would settle an inconclusive verdict, and the words for it.
#pragma once

#include <string>

#include "base/units.h"

namespace lowtide::model {

enum class NeedsKind {
  MoreSteps,     // `amount` more than there are
  MoreSeconds,   // the same
  MoreReadings,  // the same, where neither steps nor times are known
  Readings,      // `amount` in all
  LongerRun,     // nobody can say how much longer
  Other          // `words` has all of it
};

struct Needs {
  NeedsKind kind = NeedsKind::Other;
  double amount = 0;
  std::string words = {};  // what follows the words of the kind: "; how long cannot be estimated yet"
};

// The run must be longer by a known amount.
inline bool has_length(const Needs& needs) {
  return needs.kind == NeedsKind::MoreSteps || needs.kind == NeedsKind::MoreSeconds ||
         needs.kind == NeedsKind::MoreReadings;
}

// "about 300 more steps", "a longer run", without the words that follow.
inline std::string kind_words(const Needs& needs) {
  switch (needs.kind) {
    case NeedsKind::MoreSteps:
      return "about " + base::format_number(needs.amount) + " more steps";
    case NeedsKind::MoreSeconds:
      return "about " + base::format_seconds(needs.amount) + " more";
    case NeedsKind::MoreReadings:
      return "about " + base::format_number(needs.amount) + " more readings";
    case NeedsKind::Readings:
      return "at least " + base::format_number(needs.amount) + " readings";
    case NeedsKind::LongerRun:
      return "a longer run";
    case NeedsKind::Other:
      break;
  }
  return {};
}

inline std::string needs_words(const Needs& needs) {
  return kind_words(needs) + needs.words;
}

// "run longer: about 300 more steps", "run longer; how long cannot be estimated yet".
inline std::string longer_words(const std::string& verb, const Needs& needs) {
  return verb + " longer" + (needs.kind == NeedsKind::LongerRun ? needs.words : ": " + needs_words(needs));
}

}  // namespace lowtide::model

// Two runs side by side: before a change and after it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"
#include "model/report.h"

namespace lowtide::model {

enum class Measure { Bytes, BytesPerStep, BytesPerSecond, Seconds };

// One quantity of both; what one of them does not tell is absent.
struct Compared {
  std::string name;
  Measure measure = Measure::Bytes;
  std::optional<double> before = {};
  std::optional<double> after = {};
  // Whether the difference is larger than the noise of such readings; absent where that is unknown.
  std::optional<bool> differs = {};
};

enum class FindingFate { Gone, Stays, New };

struct ComparedFinding {
  FindingFate fate = FindingFate::Stays;
  Finding finding;  // the later one, of one that stays
};

// What the change did, in one word.
enum class ChangeOutcome { Better, Same, Worse, Open };

struct Comparison {
  Report before;
  Report after;
  std::optional<double> aligned_step;  // up to which both are compared; absent: by time
  ChangeOutcome outcome = ChangeOutcome::Open;
  std::string reason;                     // one sentence, lower case, no full stop
  std::vector<Compared> values;           // verdict's figures
  std::vector<Compared> parts;            // of what the memory is made
  std::vector<ComparedFinding> findings;  // gone ones first, then those that stay, then new ones
};

constexpr std::string_view to_string(ChangeOutcome outcome) {
  switch (outcome) {
    case ChangeOutcome::Better:
      return "better";
    case ChangeOutcome::Same:
      return "same";
    case ChangeOutcome::Worse:
      return "worse";
    case ChangeOutcome::Open:
      return "open";
  }
  return {};
}

constexpr std::string_view to_string(FindingFate fate) {
  switch (fate) {
    case FindingFate::Gone:
      return "gone";
    case FindingFate::Stays:
      return "stays";
    case FindingFate::New:
      return "new";
  }
  return {};
}

constexpr std::string_view to_string(Measure measure) {
  switch (measure) {
    case Measure::Bytes:
      return "bytes";
    case Measure::BytesPerStep:
      return "bytes per step";
    case Measure::BytesPerSecond:
      return "bytes per second";
    case Measure::Seconds:
      return "seconds";
  }
  return {};
}

}  // namespace lowtide::model

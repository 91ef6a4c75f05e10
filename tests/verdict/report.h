// Scores as Markdown tables and as JSON.
#pragma once

#include <span>
#include <string>

#include "verdict/score.h"

namespace lowtide::bench {

struct NamedScore {
  std::string method;
  Score score;
};

[[nodiscard]] std::string last_table(std::span<const NamedScore> scores);
[[nodiscard]] std::string live_table(std::span<const NamedScore> scores);
[[nodiscard]] std::string calibration_table(const Score& score);
[[nodiscard]] std::string family_table(const Score& score);
[[nodiscard]] std::string confusion_table(const Score& score);

// {"corpora": [{"name", "series", "methods": [...]}]}, one corpus at a time.
[[nodiscard]] std::string to_json(const std::string& corpus, std::size_t series,
                                  std::span<const NamedScore> scores);

}  // namespace lowtide::bench

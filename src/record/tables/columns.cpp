#include "record/tables/columns.h"

#include <charconv>

namespace lowtide::record {
namespace {

constexpr std::size_t kMostDimensions = 64;

// The text up to the next comma, which is removed from `text`.
std::string_view take_word(std::string_view& text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const std::string_view word = text.substr(0, comma);
  text.remove_prefix(std::min(comma + 1, text.size()));
  return word;
}

}  // namespace

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

std::string joined(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

template <>
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) words.emplace_back(take_word(text));
  return words;
}

template <>
std::vector<std::int64_t> split(std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (!text.empty() && numbers.size() < kMostDimensions) {
    const std::string_view word = take_word(text);
    std::from_chars(word.data(), word.data() + word.size(), numbers.emplace_back(0));
  }
  return numbers;
}

}  // namespace lowtide::record

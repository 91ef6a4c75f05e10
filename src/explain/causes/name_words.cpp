#include "explain/causes/name_words.h"

#include <algorithm>
#include <utility>

namespace lowtide::explain {
namespace {

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

}  // namespace

void NameWords::add(std::string_view name) {
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words_.insert(std::exchange(word, {}));
  };
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (!is_upper(c) && !is_lower(c)) {
      end_word();
      continue;
    }
    // "RunLogger", and "HTMLWriter" before its W.
    const bool begins =
        is_upper(c) && at > 0 && (is_lower(name[at - 1]) || (at + 1 < name.size() && is_lower(name[at + 1])));
    if (begins) end_word();
    word += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  end_word();
}

bool NameWords::has_any(std::initializer_list<std::string_view> words) const {
  return std::any_of(words.begin(), words.end(),
                     [this](std::string_view word) { return words_.contains(word); });
}

}  // namespace lowtide::explain

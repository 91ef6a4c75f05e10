#include "explain/findings/held/identifier_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace lowtide::explain {
namespace {

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

// Where the last steps of a path begin: at a dot or a bracket that is within no bracket.
std::size_t start_of_last(std::string_view path, std::uint32_t steps) {
  int closed = 0;
  for (std::size_t at = path.size(); at > 0 && steps > 0; --at) {
    const char letter = path[at - 1];
    if (letter == ']') ++closed;
    if (letter == '[') --closed;
    if (closed == 0 && (letter == '.' || letter == '[') && --steps == 0) return at - 1;
  }
  return 0;
}

}  // namespace

void IdentifierWords::add(std::string_view name) {
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

bool IdentifierWords::has_any(std::initializer_list<std::string_view> words) const {
  return std::any_of(words.begin(), words.end(),
                     [this](std::string_view word) { return words_.contains(word); });
}

std::string_view variable_of(const model::HeldNode& node) {
  std::string_view path = node.path;
  if (!node.file.empty()) path.remove_prefix(start_of_last(path, node.depth));
  if (path.starts_with('.')) path.remove_prefix(1);
  for (const std::string_view main : {"__main__.", "__mp_main__."}) {
    if (path.starts_with(main)) path.remove_prefix(main.size());
  }
  return path;
}

bool is_code(std::string_view text) {
  bool in_text = false;
  for (const char c : text) {
    if (c == '"') in_text = !in_text;
    const bool is_plain = is_upper(c) || is_lower(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
                          c == '[' || c == ']' || c == '"';
    if (!in_text && !is_plain) return false;
  }
  return !text.empty() && !in_text;
}

std::string_view named_part(const model::HeldNode& node) {
  const std::string_view variable = variable_of(node);
  if (is_code(variable)) return variable;
  const std::size_t code_end = variable.find_last_of('.', variable.find_first_of("<{("));
  const std::string_view known = variable.substr(0, code_end == std::string_view::npos ? 0 : code_end);
  return is_code(known) ? known : std::string_view();
}

std::string quoted_variable(const model::HeldNode& node) {
  if (is_code(variable_of(node))) return fmt::format("`{}`", variable_of(node));
  const std::string_view known = named_part(node);
  const std::string type = base::printable(node.type, 60);
  return known.empty() ? fmt::format("a {}", type) : fmt::format("a {} below `{}`", type, known);
}

}  // namespace lowtide::explain

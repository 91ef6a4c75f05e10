// The small steps that the parsers of the kernel's text share. All of them take
// from the front of `text`, and leave it as it was when they fail.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace lowtide::procfs {

// Behind the path of a file that is no longer there.
inline constexpr std::string_view kDeletedMark = " (deleted)";

inline void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
}

// Up to the next newline, which is dropped; the last line need not have one.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// Up to the next blank.
inline std::string_view take_word(std::string_view& text) {
  skip_blanks(text);
  const std::size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(word.size());
  return word;
}

// Blanks, then a number. False when there is none, or it does not fit.
template <typename Number>
bool take_number(std::string_view& text, Number& into, int base = 10) {
  std::string_view rest = text;
  skip_blanks(rest);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), into, base);
  if (error != std::errc{}) {
    return false;
  }
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  text = rest;
  return true;
}

// "   1234 kB" as bytes.
inline bool take_kilobytes(std::string_view text, std::uint64_t& into_bytes) {
  std::uint64_t kilobytes = 0;
  if (!take_number(text, kilobytes) || kilobytes > std::numeric_limits<std::uint64_t>::max() / 1024) {
    return false;
  }
  into_bytes = kilobytes * 1024;
  return true;
}

struct KeyValue {
  std::string_view key;
  std::string_view value;
};

// "Key: value" or, with another separator, "key value" and "key=value".
inline std::optional<KeyValue> split_key(std::string_view line, char separator = ':') {
  const std::size_t at = line.find(separator);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  return KeyValue{line.substr(0, at), line.substr(at + 1)};
}

inline std::string_view trim_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace lowtide::procfs

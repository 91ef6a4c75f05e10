#include "screen/job_words.h"

#include <algorithm>

#include "base/text.h"

namespace lowtide::screen {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::size_t kMostLineBytes = 1000;

// The length of the escape sequence at the start (ECMA-48): CSI up to its final byte, a string up to its
// terminator, otherwise the escape and one more byte.
std::size_t sequence_bytes(std::string_view text) {
  if (text.size() < 2) return text.size();
  const char kind = text[1];
  if (kind == '[') {
    std::size_t at = 2;
    while (at < text.size() && text[at] >= 0x20 && text[at] <= 0x3F) ++at;
    return std::min(at + 1, text.size());
  }
  if (kind == ']' || kind == 'P' || kind == '_' || kind == '^' || kind == 'X') {
    for (std::size_t at = 2; at < text.size(); ++at) {
      if (text[at] == '\a') return at + 1;
      if (text[at] == kEscape) return std::min(at + 2, text.size());
    }
    return text.size();
  }
  return 2;
}

std::string without_sequences(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text.front() == kEscape) {
      text.remove_prefix(sequence_bytes(text));
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

// What a terminal shows at the end of a line that contains carriage returns.
std::string_view last_state(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const std::size_t back = line.rfind('\r');
  return back == std::string_view::npos ? line : line.substr(back + 1);
}

}  // namespace

std::vector<std::string> last_lines(std::string_view bytes, std::size_t most) {
  std::vector<std::string> lines;
  if (!bytes.empty() && bytes.back() == '\n') bytes.remove_suffix(1);
  while (!bytes.empty() && lines.size() < most) {
    const std::size_t end = bytes.rfind('\n');
    const std::string_view line = end == std::string_view::npos ? bytes : bytes.substr(end + 1);
    lines.push_back(base::printable(without_sequences(last_state(line)), kMostLineBytes));
    bytes = end == std::string_view::npos ? std::string_view() : bytes.substr(0, end);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace lowtide::screen

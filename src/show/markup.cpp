#include "show/markup.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace lowtide::show {

std::string_view entity_of(char c) {
  constexpr std::array<std::pair<char, std::string_view>, 5> kEntities{
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};
  for (const auto& [plain, entity] : kEntities) {
    if (plain == c) return entity;
  }
  return {};
}

std::string markup_text(std::string_view text, std::size_t max_bytes) {
  std::string out;
  for (const char c : base::printable(text, max_bytes)) {
    const std::string_view entity = entity_of(c);
    out += entity.empty() ? std::string_view(&c, 1) : entity;
  }
  return out;
}

std::string markup_sentence(std::string_view text, std::size_t max_bytes) {
  const std::string escaped = markup_text(text, max_bytes);  // which leaves backticks as they are
  std::string_view rest = escaped;
  std::string out;
  while (true) {
    const std::size_t begin = rest.find('`');
    const std::size_t end = begin == std::string_view::npos ? begin : rest.find('`', begin + 1);
    if (end == std::string_view::npos) return out.append(rest);
    out.append(rest.substr(0, begin)).append("<code>");
    out.append(rest.substr(begin + 1, end - begin - 1)).append("</code>");
    rest.remove_prefix(end + 1);
  }
}

std::string markup_lines(std::string_view text, std::size_t max_bytes) {
  std::string out;
  text = text.substr(0, max_bytes);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!out.empty()) out += '\n';
    out += markup_text(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string json_for_script(std::string json) {
  const auto count = static_cast<std::size_t>(std::count(json.begin(), json.end(), '<'));
  if (count == 0) return json;
  std::string out;
  out.reserve(json.size() + 5 * count);
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace lowtide::show

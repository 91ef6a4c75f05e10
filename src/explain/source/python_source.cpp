#include "explain/source/python_source.h"

#include <algorithm>
#include <array>
#include <span>

namespace lowtide::explain {
namespace {

constexpr std::array<std::string_view, 9> kStoring{"append", "extend", "add",        "appendleft", "insert",
                                                   "update", "put",    "put_nowait", "setdefault"};

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Reads the file line by line: where texts and comments are.
class CodeReader {
 public:
  // The length of the code without comment. The inside of texts is blanked out in `line`.
  std::size_t read(std::span<char> line) {
    std::string_view quote = open_;
    const auto is_at = [&](std::size_t at, std::string_view text) {
      return std::string_view(line.data(), line.size()).substr(at).starts_with(text);
    };
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (!quote.empty()) {
        if (line[at] == '\\' && at + 1 < line.size()) {
          line[at++] = ' ';
          line[at] = ' ';
        } else if (is_at(at, quote)) {
          at += quote.size() - 1;
          quote = {};
        } else {
          line[at] = ' ';
        }
        continue;
      }
      if (line[at] == '#') {
        open_ = {};
        return at;
      }
      if (line[at] != '"' && line[at] != '\'') continue;
      const std::string_view triple = line[at] == '"' ? R"(""")" : "'''";
      quote = is_at(at, triple) ? triple : triple.substr(0, 1);
      at += quote.size() - 1;
    }
    open_ = quote.size() == 3 ? quote : std::string_view{};
    return line.size();
  }

  // The next line begins inside a text.
  [[nodiscard]] bool is_inside_text() const { return !open_.empty(); }

 private:
  std::string_view open_ = {};  // the quotes that end it
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// What follows the name in a line, at each place where the name is a whole word. An attribute must follow a
// dot, and a plain name must not.
template <typename Visit>
bool any_after(std::string_view code, std::string_view name, const Visit& visit) {
  const std::size_t dot = name.rfind('.');
  const bool is_attribute = dot != std::string_view::npos;
  const std::string_view word = is_attribute ? name.substr(dot + 1) : name;
  if (word.empty()) return false;
  for (std::size_t at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool follows_dot = at > 0 && code[at - 1] == '.';
    const bool is_word =
        (at == 0 || !is_name_char(code[at - 1])) && (end == code.size() || !is_name_char(code[end]));
    if (is_word && follows_dot == is_attribute && visit(code.substr(end), at)) return true;
  }
  return false;
}

// "= value", "+= value" or ": type = value"; not "== value".
bool is_assignment(std::string_view rest, bool is_augmented) {
  rest = trimmed(rest);
  if (is_augmented) return rest.starts_with("+=") || rest.starts_with("|=");
  if (rest.starts_with(':')) {
    const std::size_t equals = rest.find('=');
    return equals != std::string_view::npos && !rest.substr(equals).starts_with("==");
  }
  return rest.starts_with('=') && !rest.starts_with("==");
}

bool is_store(std::string_view rest) {
  if (rest.starts_with('.')) {
    return std::any_of(kStoring.begin(), kStoring.end(), [&](std::string_view method) {
      return rest.substr(1).starts_with(method) && trimmed(rest.substr(1 + method.size())).starts_with('(');
    });
  }
  if (rest.starts_with('[')) {
    std::size_t depth = 0;
    for (std::size_t at = 0; at < rest.size(); ++at) {
      if (rest[at] == '[') ++depth;
      if (rest[at] == ']' && --depth == 0)
        return is_assignment(rest.substr(at + 1), false) || is_store(rest.substr(at + 1));
    }
    return false;
  }
  return is_assignment(rest, true);
}

// What stands before the object of an attribute: "weights = " of "weights = self.run.".
std::string_view without_object(std::string_view before) {
  while (!before.empty() && (is_name_char(before.back()) || before.back() == '.')) before.remove_suffix(1);
  return before;
}

// "bisect.insort(self.", before the name of the list.
bool is_insertion(std::string_view before) {
  constexpr std::array<std::string_view, 4> kInserting{"insort(", "insort_left(", "insort_right(",
                                                       "heappush("};
  before = without_object(before);
  return std::any_of(kInserting.begin(), kInserting.end(),
                     [&](std::string_view call) { return before.ends_with(call); });
}

bool begins_function(std::string_view code) {
  return code.starts_with("def ") || code.starts_with("async def ");
}

}  // namespace

PythonSource::PythonSource(std::string text) : text_(std::move(text)), searched_(text_) {
  CodeReader reader;
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    const bool is_inside_text = reader.is_inside_text();
    const std::size_t length = reader.read(std::span(searched_).subspan(at, end - at));
    const std::string_view code = std::string_view(text_).substr(at, length);
    const std::string_view searched = std::string_view(searched_).substr(at, length);
    const std::size_t indent = std::min(code.find_first_not_of(" \t"), code.size());
    lines_.push_back({is_inside_text ? std::string_view{} : trimmed(code), trimmed(searched), indent});
    at = end + 1;
  }
}

std::string_view PythonSource::line(std::uint64_t number) const {
  return number == 0 || number > lines_.size() ? std::string_view{} : lines_[number - 1].code;
}

LineRange PythonSource::function_around(std::uint64_t number) const {
  if (number == 0 || number > lines_.size()) return all();
  std::size_t indent = SIZE_MAX;
  for (std::size_t at = number; at > 0; --at) {
    const Line& line = lines_[at - 1];
    if (line.code.empty() || line.indent >= indent) continue;
    indent = line.indent;
    if (!begins_function(line.code)) continue;
    std::size_t last = at;
    while (last < lines_.size() && (lines_[last].code.empty() || lines_[last].indent > indent)) ++last;
    if (last < number) continue;  // the line is after the function, not in it
    return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(last)};
  }
  return all();
}

std::vector<std::uint32_t> PythonSource::stores(std::string_view name, LineRange within) const {
  std::vector<std::uint32_t> out = direct_stores(name, within);
  if (!out.empty() || name.find('.') == std::string_view::npos) return out;
  for (std::uint32_t at = within.first; at <= within.last && at <= lines_.size(); ++at) {
    const std::string_view other = other_name(name, at);
    if (other.empty()) continue;
    const LineRange function = function_around(at);
    if (function.last >= lines_.size() && function.first <= 1)
      continue;  // a name of the module may be another elsewhere
    for (const std::uint32_t line : direct_stores(other, {at + 1, function.last})) out.push_back(line);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string_view PythonSource::other_name(std::string_view name, std::uint32_t number) const {
  const std::string_view code = lines_[number - 1].searched;
  std::string_view out;
  any_after(code, name, [&](std::string_view rest, std::size_t begin) {
    if (!rest.empty() && !(rest.starts_with('[') && rest.find(']') + 1 == rest.size())) return false;
    std::string_view before = trimmed(without_object(code.substr(0, begin)));
    if (!before.ends_with('=')) return false;
    before = trimmed(before.substr(0, before.size() - 1));
    if (before.empty() || !std::all_of(before.begin(), before.end(), is_name_char)) return false;
    out = before;
    return true;
  });
  return out;
}

std::vector<std::uint32_t> PythonSource::direct_stores(std::string_view name, LineRange within) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t at = within.first; at <= within.last && at <= lines_.size(); ++at) {
    const std::string_view code = lines_[at - 1].searched;
    if (any_after(code, name, [&](std::string_view rest, std::size_t begin) {
          return is_store(rest) || (rest.starts_with(',') && is_insertion(code.substr(0, begin)));
        }))
      out.push_back(at);
  }
  return out;
}

std::vector<std::uint32_t> PythonSource::carries(std::string_view name, LineRange within) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t at = within.first; at <= within.last && at <= lines_.size(); ++at) {
    const std::string_view code = lines_[at - 1].searched;
    if (code.find(".detach(") != std::string_view::npos) continue;  // cuts the chain
    const bool is_carried = any_after(code, name, [&](std::string_view rest, std::size_t) {
      if (is_assignment(rest, true)) return true;
      const std::size_t equals = rest.find('=');
      // "h = f(h)", and "out, h = f(x, h)"
      const bool is_target = equals != std::string_view::npos && !rest.substr(equals).starts_with("==") &&
                             rest.substr(0, equals).find('(') == std::string_view::npos;
      return is_target &&
             any_after(rest.substr(equals + 1), name, [](std::string_view, std::size_t) { return true; });
    });
    if (is_carried) out.push_back(at);
  }
  return out;
}

std::string PythonSource::carried_by(std::uint32_t number) const {
  if (number == 0 || number > lines_.size()) return {};
  const std::string_view code = lines_[number - 1].searched;
  const std::string_view targets = code.substr(0, code.find_first_of("=("));
  for (std::size_t at = 0; at < targets.size();) {
    const std::size_t begin = std::min(targets.find_first_not_of(" \t,*", at), targets.size());
    at = std::min(targets.find_first_of(" \t,*", begin), targets.size());
    const std::string_view name = targets.substr(begin, at - begin);
    if (!name.empty() && !carries(name, {number, number}).empty()) return std::string(name);
  }
  return {};
}

std::optional<std::uint32_t> PythonSource::creates(std::string_view name, LineRange within) const {
  for (std::uint32_t at = within.first; at <= within.last && at <= lines_.size(); ++at) {
    const std::string_view code = lines_[at - 1].searched;
    if (any_after(code, name, [](std::string_view rest, std::size_t) { return is_assignment(rest, false); }))
      return at;
    const bool is_function = begins_function(code) && code.substr(code.find("def ") + 4).starts_with(name) &&
                             code.find("def ") + 4 + name.size() == code.find('(');
    if (is_function && at > 1 && lines_[at - 2].searched.starts_with('@') &&
        lines_[at - 2].searched.find("cache") != std::string_view::npos) {
      return at - 1;
    }
  }
  return std::nullopt;
}

std::vector<std::uint32_t> PythonSource::calls(std::string_view function) const {
  const std::string of_object = "." + std::string(function);
  const auto is_called = [](std::string_view code, std::string_view name) {
    return any_after(code, name, [](std::string_view rest, std::size_t) { return rest.starts_with('('); });
  };
  std::vector<std::uint32_t> out;
  for (std::uint32_t at = 1; at <= lines_.size(); ++at) {
    const std::string_view code = lines_[at - 1].searched;
    if (begins_function(code) || code.starts_with("class ")) continue;
    if (is_called(code, function) || is_called(code, of_object)) out.push_back(at);
  }
  return out;
}

bool PythonSource::mentions(std::string_view name) const {
  const auto any = [](std::string_view, std::size_t) { return true; };
  const std::string of_object = "." + std::string(name);
  return std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) {
    return any_after(line.searched, name, any) || any_after(line.searched, of_object, any);
  });
}

bool PythonSource::imports(std::string_view name) const {
  return std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) {
    return (line.searched.starts_with("import ") || line.searched.starts_with("from ")) &&
           any_after(line.searched, name, [](std::string_view, std::size_t) { return true; });
  });
}

}  // namespace lowtide::explain

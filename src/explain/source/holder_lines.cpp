#include "explain/source/holder_lines.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "explain/findings/held/identifier_words.h"

namespace lowtide::explain {
namespace {

// Of `history["loss"].append(...)` where the variable is `history["features"]`.
bool has_other_key(std::string_view line, std::string_view name, std::string_view key) {
  const std::size_t at = line.find(std::string(name) + "[");
  if (key.empty() || at == std::string_view::npos) return false;
  const std::string_view rest = line.substr(at + name.size() + 1);
  const bool is_literal = rest.starts_with('"') || rest.starts_with('\'');
  return is_literal && !rest.substr(1).starts_with(key);
}

// What the source is searched for, and the key of the entry that is meant: `state` and `a` for "state["a"]".
// Of "trainer.callbacks[1].ranked" only the attribute is searched, because the code has it under another
// name.
struct Searched {
  std::string name;
  std::string_view key;
};

// Where the subscripts at its end begin: 7 of `metrics["loss[a]"][2]`.
std::size_t end_of_name(std::string_view variable) {
  std::size_t end = variable.size();
  bool in_text = false;
  bool in_subscript = false;
  for (std::size_t at = 0; at < variable.size(); ++at) {
    const char c = variable[at];
    if (c == '"') in_text = !in_text;
    if (in_text || c == '"') continue;
    if (c == '[' && !in_subscript && end == variable.size()) end = at;
    if (c != '[' && c != ']' && !in_subscript) end = variable.size();
    if (c == '[' || c == ']') in_subscript = c == '[';
  }
  return end;
}

// An empty name: there is nothing to search for.
Searched searched_of(std::string_view variable) {
  const std::string_view name = variable.substr(0, end_of_name(variable));
  const std::string_view keys = variable.substr(name.size());
  const std::size_t quote = keys.find('"');
  const std::string_view key = quote == std::string_view::npos
                                   ? std::string_view()
                                   : keys.substr(quote + 1, keys.find('"', quote + 1) - quote - 1);
  const std::size_t bracket = name.rfind(']');
  if (bracket == std::string_view::npos) return {std::string(name), key};
  const std::string_view attribute = name.substr(bracket + 1);
  return {attribute.starts_with('.') ? "self" + std::string(attribute) : std::string(), key};
}

// With more lines than this it is not known which of them fills the variable.
constexpr std::size_t kMostStores = 2;

struct Found {
  std::vector<std::uint32_t> stores;
  std::optional<std::uint32_t> creates;
};

Found search(const PythonSource& source, std::string_view name, LineRange within, bool is_tensor) {
  return {is_tensor ? source.carries(name, within) : source.stores(name, within),
          source.creates(name, within)};
}

}  // namespace

std::vector<model::CodeLine> find_holder_lines(SourceFiles& sources, const model::HeldNode& node,
                                               const std::vector<std::string>& files) {
  const std::string variable = variable_of(node);
  const auto [name, key] = searched_of(variable);
  if (!is_code(name)) return {};
  const bool is_local =
      !node.file.empty() && name.find('.') == std::string_view::npos && !owning_function(node);
  const bool is_tensor = node.type == "torch.Tensor" || node.type == "torch.nn.parameter.Parameter";
  std::vector<std::string> searched;
  if (!node.file.empty()) searched.push_back(node.file);
  if (!is_local) searched.insert(searched.end(), files.begin(), files.end());

  std::vector<model::CodeLine> stores;
  std::vector<model::CodeLine> creates;
  for (auto at = searched.begin(); at != searched.end(); ++at) {
    const PythonSource* source = sources.find(*at);
    if (source == nullptr || std::find(searched.begin(), at, *at) != at) continue;
    const LineRange within = is_local ? source->function_around(node.line) : source->all();
    const Found found = search(*source, name, within, is_tensor);
    const auto line_of = [&](std::uint32_t line, model::LineRole role) {
      return model::CodeLine{.role = role, .file = *at, .line = line, .source = sources.line(*at, line)};
    };
    for (const std::uint32_t line : found.stores) {
      if (!has_other_key(source->line(line), name, key))
        stores.push_back(line_of(line, model::LineRole::Stores));
    }
    if (found.creates) creates.push_back(line_of(*found.creates, model::LineRole::Creates));
  }
  if (stores.size() > kMostStores) stores.clear();
  if (creates.size() == 1) {
    const bool is_stored_there = std::any_of(stores.begin(), stores.end(), [&](const model::CodeLine& line) {
      return line.file == creates.front().file && line.line == creates.front().line;
    });
    if (!is_stored_there) stores.push_back(creates.front());
  }
  return stores;
}

std::string name_in_code(const std::vector<model::CodeLine>& lines, std::string_view variable) {
  constexpr std::ptrdiff_t kMostDots = 2;
  const std::size_t dot = variable.rfind('.');
  const auto store = std::find_if(lines.begin(), lines.end(), [](const model::CodeLine& line) {
    return line.role == model::LineRole::Stores && line.source;
  });
  if (dot == std::string_view::npos || store == lines.end()) return {};
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  const std::string& text = *store->source;
  const std::string last(variable.substr(dot));  // ".seen"
  const std::size_t at = text.find(last);
  const std::size_t end = at + last.size();
  if (at == std::string::npos || (end < text.size() && is_part(text[end]) && text[end] != '.')) return {};
  std::size_t begin = at;
  while (begin > 0 && is_part(text[begin - 1])) --begin;
  std::string name = text.substr(begin, end - begin);
  const bool is_long = std::count(variable.begin(), variable.end(), '.') > kMostDots;
  const bool is_end = variable.ends_with("." + name);
  return name.starts_with('.') || !(is_long || is_end) ? std::string() : name;
}

}  // namespace lowtide::explain

#include "explain/findings/held/identifier_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// `model._modules["encoder"]._modules["0"]._parameters["weight"]` is `model.encoder[0].weight` in the code of
// the job: a module of torch finds its attributes in these dicts.
std::string without_dicts_of_modules(std::string_view path) {
  constexpr std::array<std::string_view, 3> kDicts{"._modules[\"", "._parameters[\"", "._buffers[\""};
  std::string out;
  while (!path.empty()) {
    const auto* dict = std::find_if(kDicts.begin(), kDicts.end(),
                                    [&](std::string_view each) { return path.starts_with(each); });
    const std::size_t end = dict == kDicts.end() ? std::string_view::npos : path.find("\"]", dict->size());
    const std::string_view name =
        end == std::string_view::npos ? std::string_view() : path.substr(dict->size(), end - dict->size());
    const bool is_number = !name.empty() && std::all_of(name.begin(), name.end(), is_digit);
    const bool is_name =
        !name.empty() && !is_digit(name.front()) && std::all_of(name.begin(), name.end(), [](char c) {
          return is_upper(c) || is_lower(c) || is_digit(c) || c == '_';
        });
    if (!is_number && !is_name) {
      out += path.front();
      path.remove_prefix(1);
      continue;
    }
    out += is_number ? fmt::format("[{}]", name) : fmt::format(".{}", name);
    path.remove_prefix(end + 2);
  }
  return out;
}

// The last step of the path into a function.
struct StepIntoFunction {
  std::size_t at = std::string_view::npos;  // where it begins
  std::size_t name_at = 0;                  // of the variable
  bool is_default = false;
};

std::optional<StepIntoFunction> step_into_function(std::string_view path) {
  constexpr std::array<std::pair<std::string_view, bool>, 3> kSteps{
      {{".__closure__[\"", false}, {".__defaults__[\"", true}, {".__kwdefaults__[\"", true}}};
  std::optional<StepIntoFunction> last;
  for (const auto& [step, is_default] : kSteps) {
    const std::size_t at = path.rfind(step);
    if (at == std::string_view::npos || (last && at < last->at)) continue;
    last = StepIntoFunction{at, at + step.size(), is_default};
  }
  return last;
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

bool IdentifierWords::has_only(std::initializer_list<std::string_view> words) const {
  return std::all_of(words_.begin(), words_.end(), [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  });
}

std::string_view end_of_path(const model::HeldNode& node) {
  std::string_view path = node.path;
  if (!node.file.empty()) path.remove_prefix(start_of_last(path, node.depth));
  if (path.starts_with('.')) path.remove_prefix(1);
  for (const std::string_view main : {"__main__.", "__mp_main__."}) {
    if (path.starts_with(main)) path.remove_prefix(main.size());
  }
  return path;
}

std::string variable_of(const model::HeldNode& node) {
  if (const auto step = step_into_function(node.path)) {
    const std::string_view rest = std::string_view(node.path).substr(step->name_at);
    const std::size_t end = rest.find("\"]");
    if (end != std::string_view::npos)
      return without_dicts_of_modules(std::string(rest.substr(0, end)) + std::string(rest.substr(end + 2)));
  }
  return without_dicts_of_modules(end_of_path(node));
}

std::optional<OwningFunction> owning_function(const model::HeldNode& node) {
  const auto step = step_into_function(node.path);
  if (!step) return std::nullopt;
  const std::string_view path = std::string_view(node.path).substr(0, step->at);
  const std::string_view name = path.substr(path.rfind('.') + 1);
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return is_upper(c) || is_lower(c) || is_digit(c) || c == '_';
  });
  return OwningFunction{is_name ? std::string(name) : std::string(), step->is_default};
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

std::string named_part(const model::HeldNode& node) {
  std::string variable = variable_of(node);
  if (is_code(variable)) return variable;
  const std::size_t code_end = variable.find_last_of('.', variable.find_first_of("<{("));
  const std::string known = variable.substr(0, code_end == std::string::npos ? 0 : code_end);
  return is_code(known) ? known : std::string();
}

std::string quoted_variable(const model::HeldNode& node) {
  if (const std::string variable = variable_of(node); is_code(variable)) return fmt::format("`{}`", variable);
  const std::string known = named_part(node);
  const std::string type = base::printable(node.type, 60);
  return known.empty() ? fmt::format("a {}", type) : fmt::format("a {} below `{}`", type, known);
}

}  // namespace lowtide::explain

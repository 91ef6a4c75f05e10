// docs_tables [--update] FILE...: compares the made parts of the documents with the source, or rewrites them.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sections.h"

namespace {

using lowtide::docs::Section;

std::vector<Section> all_sections() {
  using namespace lowtide::docs;  // NOLINT(google-build-using-namespace): one list of its functions
  std::vector<Section> all;
  for (const auto sections : {causes_sections, exit_code_sections, in_target_sections, json_sections,
                              recording_sections, serve_sections}) {
    for (const Section& section : sections()) all.push_back(section);
  }
  return all;
}

// The text with each made part as the source has it; nothing, after a message, where the markers are wrong.
std::optional<std::string> made(const std::string& path, const std::string& text) {
  static constexpr std::string_view kMadeFrom = "made from ";
  static constexpr std::string_view kBegin = ": begin";
  const std::vector<Section> sections = all_sections();
  std::string out;
  std::size_t at = 0;
  std::size_t parts = 0;
  std::size_t from = 0;
  for (std::size_t begin = 0; (begin = text.find(kBegin, from)) != std::string::npos;) {
    from = begin + kBegin.size();
    const std::size_t line_at = text.rfind('\n', begin) + 1;
    const std::string line = text.substr(line_at, text.find('\n', begin) - line_at);
    if (line.find(kMadeFrom) == std::string::npos) continue;
    ++parts;
    const std::size_t name_at = line.find(kMadeFrom) + kMadeFrom.size();
    const std::string name = line.substr(name_at, line.find(kBegin) - name_at);
    std::string last = line;
    last.replace(line.find(kBegin), kBegin.size(), ": end");
    const std::size_t end = text.find(last, begin);
    const Section* found = nullptr;
    for (const Section& section : sections) {
      if (section.name == name) found = &section;
    }
    if (end == std::string::npos || found == nullptr) {
      std::fprintf(stderr, "%s: the part that is made from %s has no end, or is not known\n", path.c_str(),
                   name.c_str());
      return std::nullopt;
    }
    out.append(text, at, line_at - at).append(line).append("\n\n");
    out.append(found->make()).append("\n").append(last);
    from = at = end + last.size();
  }
  if (parts == 0) {
    std::fprintf(stderr, "%s: no part of it is made from the source\n", path.c_str());
    return std::nullopt;
  }
  return out + text.substr(at);
}

bool check(const std::string& path, bool update) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::optional<std::string> wanted = made(path, text);
  if (!wanted) return false;
  if (*wanted == text) return true;
  if (update) {
    std::ofstream(path, std::ios::trunc) << *wanted;
    return true;
  }
  const auto differs = std::mismatch(text.begin(), text.end(), wanted->begin(), wanted->end()).first;
  const auto line = 1 + std::count(text.begin(), differs, '\n');
  std::fprintf(stderr, "%s:%td: differs from the source; run docs_tables --update %s\n", path.c_str(), line,
               path.c_str());
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  bool update = false;
  bool all_agree = true;
  for (int at = 1; at < count; ++at) {
    const std::string argument = arguments[at];
    if (argument == "--update") {
      update = true;
    } else {
      all_agree = check(argument, update) && all_agree;
    }
  }
  return all_agree ? 0 : 1;
}

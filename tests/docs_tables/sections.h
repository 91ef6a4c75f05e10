// Parts of documents and source files that are made from the source. Such a part is between the lines
//   made from NAME: begin
//   made from NAME: end
// which are comments of the file's own language: <!-- -->, //, #.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::docs {

struct Section {
  std::string_view name;  // the folder, and which of its tables: "src/record, meta"
  std::string (*make)();
};

std::vector<Section> recording_sections();
std::vector<Section> in_target_sections();
std::vector<Section> serve_sections();
std::vector<Section> causes_sections();
std::vector<Section> exit_code_sections();
std::vector<Section> json_sections();

}  // namespace lowtide::docs

// docs/in-target.md: the versions of CPython.
#include "markdown.h"
#include "sections.h"
#include "wire/python_names.h"

namespace lowtide::docs {
namespace {

std::string pythons() {
  std::vector<std::vector<std::string>> rows = {
      {"version", "lines and snapshots", "`sys.remote_exec`", "offsets of its fields", "tested"}};
  for (const wire::PythonVersion& python : wire::kPythons) {
    rows.push_back(
        {wire::python_name(python.number), "yes", python.number >= wire::kFirstRemoteExec ? "yes" : "no",
         python.has_own_table() ? "CPython's own table, lowtide's table for the rest" : "lowtide's table",
         python.tested});
  }
  return markdown_table(rows);
}

}  // namespace

std::vector<Section> in_target_sections() {
  return {{"src/wire, pythons", pythons}};
}

}  // namespace lowtide::docs

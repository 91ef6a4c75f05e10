// What is made from the descriptions of the JSON: tables in docs/json.md and docs/page.md, types for
// TypeScript and for Python.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/machine_check.h"
#include "markdown.h"
#include "sections.h"
#include "show/json/texts.h"

namespace lowtide::docs {
namespace {

using show::FieldText;
using show::ObjectText;
using show::TypeText;
using Kind = TypeText::Kind;
using Objects = std::vector<ObjectText>;

bool has(const Objects& objects, std::string_view name) {
  return std::any_of(objects.begin(), objects.end(),
                     [&](const ObjectText& object) { return object.name == name; });
}

// The object and what it is made of, each once and those that it is made of after it.
void collect(const ObjectText& object, Objects& into) {
  if (has(into, object.name)) return;
  into.push_back(object);
  if (object.base != nullptr) collect(object.base(), into);
  for (const FieldText& field : object.fields) {
    if (field.type.object != nullptr) collect(field.type.object(), into);
  }
}

// Without what `before` has already.
Objects objects_of(ObjectText (*document)(), const std::vector<ObjectText (*)()>& before = {}) {
  Objects objects;
  for (auto* const earlier : before) collect(earlier(), objects);
  const auto known = static_cast<std::ptrdiff_t>(objects.size());
  collect(document(), objects);
  return {objects.begin() + known, objects.end()};
}

// `document` is where the heading is; empty: in the same one.
std::string heading_link(std::string_view name, std::string_view document = "") {
  std::string anchor(name);
  for (char& letter : anchor) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return "[" + std::string(name) + "](" + std::string(document) + "#" + anchor + ")";
}

std::string markdown_type(const FieldText& field, std::string_view document) {
  static constexpr std::string_view kNames[] = {"integer", "number", "string", "boolean"};
  const TypeText& type = field.type;
  std::string text = type.object != nullptr ? heading_link(type.object().name, document)
                     : type.names.empty()   ? std::string(kNames[static_cast<std::size_t>(type.kind)])
                                            : "one of " + code_list(type.names) + ",";
  if (text.back() == ',' && !type.is_nullable) text.pop_back();
  if (type.list_depth > 0 && type.object == nullptr) text += "s";
  for (std::size_t depth = 0; depth < type.list_depth; ++depth) {
    const bool is_pair = depth == 0 && type.tuple_size == 2;
    text.insert(0, std::string(is_pair ? "pair" : "list") + (depth + 1 < type.list_depth ? "s of " : " of "));
  }
  if (type.is_nullable) text += " or null";
  if (field.only != nullptr) text += ", " + std::string(field.only) + " only";
  return text;
}

// `elsewhere` is the document with the types that are not among the objects.
std::string markdown(const Objects& objects, std::string_view elsewhere = "") {
  std::string text;
  for (const ObjectText& object : objects) {
    std::vector<std::vector<std::string>> rows = {{"field", "type", "meaning"}};
    for (const FieldText& field : object.fields) {
      const bool is_here = field.type.object == nullptr || has(objects, field.type.object().name);
      rows.push_back({code(field.name), markdown_type(field, is_here ? "" : elsewhere), field.meaning});
    }
    const std::string base =
        object.base == nullptr ? "" : " The fields of " + heading_link(object.base().name) + " and:";
    text += (text.empty() ? "### " : "\n### ") + std::string(object.name) + "\n\n" +
            capitalized(object.meaning) + "." + base + "\n\n" + markdown_table(rows);
  }
  return text;
}

std::string quoted(const std::vector<std::string_view>& names, std::string_view between) {
  std::string text;
  for (const std::string_view name : names) {
    text += (text.empty() ? "\"" : std::string(between) + "\"") + std::string(name) + "\"";
  }
  return text;
}

std::string typescript_type(const TypeText& type) {
  static constexpr std::string_view kNames[] = {"number", "number", "string", "boolean"};
  std::string text = type.object != nullptr ? type.object().name
                     : type.names.empty()   ? std::string(kNames[static_cast<std::size_t>(type.kind)])
                                            : quoted(type.names, " | ");
  if (type.list_depth > 0 && type.names.size() > 1) text = "(" + text + ")";
  const bool is_pair = type.tuple_size == 2;
  if (is_pair) text = "[" + text + ", " + text + "]";
  for (std::size_t depth = is_pair ? 1 : 0; depth < type.list_depth; ++depth) text += "[]";
  return text + (type.is_nullable ? " | null" : "");
}

std::string typescript() {
  std::string text;
  for (const ObjectText& object : objects_of(show::page_text)) {
    text += (text.empty() ? "// " : "\n// ") + capitalized(object.meaning) + ".\nexport interface " +
            object.name + " {\n";
    for (const FieldText& field : object.fields) {
      text += std::string("  ") + field.name + (field.only == nullptr ? ": " : "?: ") +
              typescript_type(field.type) + "; // " + field.meaning + "\n";
    }
    text += "}\n";
  }
  return text;
}

std::string python_type(const FieldText& field) {
  static constexpr std::string_view kNames[] = {"int", "float", "str", "bool"};
  const TypeText& type = field.type;
  std::string text = type.object != nullptr ? type.object().name
                     : type.names.empty()   ? std::string(kNames[static_cast<std::size_t>(type.kind)])
                                            : "Literal[" + quoted(type.names, ", ") + "]";
  for (std::size_t depth = 0; depth < type.list_depth; ++depth) text.insert(0, "list[").append("]");
  if (type.is_nullable) text += " | None";
  return field.only == nullptr ? text : "NotRequired[" + text + "]";
}

std::string python() {
  std::string text;
  for (const ObjectText& object : objects_of(show::report_text)) {
    text += std::string(text.empty() ? "\nclass " : "\n\nclass ") + object.name + "(TypedDict):\n    \"\"\"" +
            capitalized(object.meaning) + ".\"\"\"\n\n";
    for (const FieldText& field : object.fields) {
      text += std::string("    ") + field.name + ": " + python_type(field) + "  # " + field.meaning + "\n";
    }
  }
  return text + "\n";
}

}  // namespace

std::vector<Section> json_sections() {
  return {{"src/show/json, report", [] { return markdown(objects_of(show::report_text)); }},
          {"src/show/json, snapshot",
           [] { return markdown(objects_of(show::snapshot_text, {show::report_text})); }},
          {"src/show/json, comparison",
           [] { return markdown(objects_of(show::comparison_text, {show::report_text})); }},
          {"src/show/json, plan", [] { return markdown(objects_of(show::plan_text)); }},
          {"src/doctor, checks", [] { return markdown(objects_of(doctor::checks_text)); }},
          {"src/show/page, data",
           [] { return markdown(objects_of(show::page_text, {show::report_text}), "json.md"); }},
          {"src/show, TypeScript", typescript},
          {"src/show, Python", python}};
}

}  // namespace lowtide::docs

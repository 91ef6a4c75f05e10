// docs/recording.md: what is in each table of a recording.
#include <algorithm>
#include <cctype>

#include "markdown.h"
#include "record/meta.h"
#include "record/tables/descriptions.h"
#include "record/tables/series.h"
#include "sections.h"

namespace lowtide::docs {
namespace {

// "INTEGER PRIMARY KEY" is an integer.
std::string type_of(const std::string& sql_type) {
  std::string type = sql_type.substr(0, sql_type.find(' '));
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return type;
}

std::string meaning_of(const record::ColumnText& column) {
  if (column.names.empty()) return column.meaning;
  return column.meaning + (column.meaning.empty() ? "" : ": ") + code_list(column.names);
}

std::string tables() {
  std::string text;
  for (const record::TableText& table : record::described_tables()) {
    std::vector<std::vector<std::string>> rows = {{"column", "type", "meaning"}};
    for (const record::ColumnText& column : table.columns) {
      rows.push_back({code(column.name), type_of(column.type), meaning_of(column)});
    }
    text += (text.empty() ? "### " : "\n### ") + code(table.name) + "\n\nA row is " + table.meaning +
            ".\n\n" + markdown_table(rows);
  }
  return text;
}

std::string meta() {
  const auto name_of = [](record::MetaType type) {
    switch (type) {
      case record::MetaType::Text:
        return "text";
      case record::MetaType::Integer:
        return "integer";
      case record::MetaType::Real:
        return "real";
      case record::MetaType::Flag:
        return "0 or 1";
    }
    return "";
  };
  std::vector<std::vector<std::string>> rows = {{"key", "value", "meaning"}};
  for (const record::MetaSpec& spec : record::kMetaKeys) {
    rows.push_back({code(spec.key), name_of(spec.type), spec.meaning});
  }
  return markdown_table(rows);
}

std::string samples() {
  std::string text;
  for (std::size_t kind = 0; kind < record::kKinds; ++kind) {
    const record::KindSpec& spec = record::spec_of(static_cast<record::SeriesKind>(kind));
    std::vector<std::vector<std::string>> rows = {{"column", "type", "meaning", "value in a combined row"}};
    for (const record::SampleColumn& key : spec.keys()) {
      rows.push_back({code(key.name), "integer", key.meaning, "key"});
    }
    for (const record::SampleColumn& column : spec.columns()) {
      rows.push_back({code(column.name), column.thousandths ? "real" : "integer", column.meaning,
                      column.keep == record::Keep::Highest ? "highest" : "last"});
    }
    text += (text.empty() ? "### " : "\n### ") + code(spec.name + std::string("_memory")) + "\n\n" +
            "The series that is judged is " + code(spec.judged.name) + ": " + spec.meaning + ".\n\n" +
            markdown_table(rows);
  }
  return text;
}

}  // namespace

std::vector<Section> recording_sections() {
  return {{"src/record, tables", tables}, {"src/record, meta", meta}, {"src/record, samples", samples}};
}

}  // namespace lowtide::docs

// What is written is what is described: types, names and nulls.
#include "show/json/texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "show/json/json.h"
#include "show/json/values.h"
#include "show/testing/sample_reports.h"

namespace lowtide::show {
namespace {

using Kind = TypeText::Kind;

void expect_object(const Json& json, const ObjectText& object, const std::string& path);

void expect_value(const Json& json, const TypeText& type, std::size_t list_depth, const std::string& path) {
  if (list_depth > 0 && json.is_array()) {
    for (const Json& element : json) expect_value(element, type, list_depth - 1, path + "[]");
    return;
  }
  ASSERT_EQ(list_depth, 0U) << path << ": " << json;
  if (json.is_null()) {
    EXPECT_TRUE(type.is_nullable) << path;
  } else if (type.kind == Kind::Object) {
    expect_object(json, type.object(), path);
  } else if (type.kind == Kind::String) {
    ASSERT_TRUE(json.is_string()) << path << ": " << json;
    const auto is_named = [&](std::string_view name) { return json.get<std::string>() == name; };
    EXPECT_TRUE(type.names.empty() || std::any_of(type.names.begin(), type.names.end(), is_named)) << path;
  } else {
    EXPECT_TRUE(type.kind == Kind::Boolean   ? json.is_boolean()
                : type.kind == Kind::Integer ? json.is_number_integer()
                                             : json.is_number())
        << path << ": " << json;
  }
}

void expect_object(const Json& json, const ObjectText& object, const std::string& path) {
  ASSERT_TRUE(json.is_object()) << path;
  for (const FieldText& field : object.fields) {
    const std::string where = path + "." + field.name;
    EXPECT_TRUE(json.contains(field.name) || field.only != nullptr) << where;
    if (json.contains(field.name)) expect_value(json[field.name], field.type, field.type.list_depth, where);
  }
}

TEST(a_report, is_what_its_description_says) {
  for (const model::Report& report : {warmup_report(), leak_report(), spikes_report(), inconclusive_report(),
                                      watched_leak_report(), watched_overhead_report(), model::Report{}}) {
    const model::Gate gate = sample_gate();
    expect_object(Json::parse(to_json(report, &gate)), report_text(), "report");
  }
}

}  // namespace
}  // namespace lowtide::show

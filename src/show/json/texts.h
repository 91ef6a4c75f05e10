// The descriptions of the JSON without the structs they are of: what documents and types are made from.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace lowtide::show {

struct ObjectText;

struct TypeText {
  enum class Kind { Integer, Number, String, Boolean, Object };
  Kind kind = Kind::String;
  bool is_nullable = false;
  std::size_t list_depth = 0;                // 2: list of lists
  std::size_t tuple_size = 0;                // of the innermost list; 0: of any size
  std::vector<std::string_view> names = {};  // of a String: the values it can have; empty: any
  ObjectText (*object)() = nullptr;          // of an Object
};

struct FieldText {
  const char* name = nullptr;
  const char* meaning = nullptr;
  TypeText type = {};
  const char* only = nullptr;  // "recording": the field is in no other report; null: always there
};

struct ObjectText {
  const char* name = nullptr;
  const char* meaning = nullptr;
  std::vector<FieldText> fields = {};
  ObjectText (*base)() = nullptr;  // whose fields come first
};

// Each document that lowtide writes; what it is made of can be reached from it.
ObjectText report_text();
ObjectText snapshot_text();
ObjectText comparison_text();
ObjectText plan_text();
ObjectText page_text();

}  // namespace lowtide::show

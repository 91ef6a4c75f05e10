// The objects of the JSON, each described once: the name, the meaning and the value of every field. The
// writer, the tables of docs/json.md and docs/page.md, web/src/report_types.ts and
// python/lowtide/_report_types.py all follow from the descriptions, so none of them can have a field that
// another has not.
//
// The type of a field follows from the C++ type of its value. A struct becomes an object when there is a
// function describe(Tag<Struct>); it must be declared before a field uses it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/member_path.h"
#include "model/names.h"
#include "show/json/texts.h"
#include "show/json/values.h"

namespace lowtide::show {

template <typename Row>
struct Field {
  const char* name = nullptr;
  const char* meaning = nullptr;
  Json (*write)(const Row& row) = nullptr;
  TypeText (*type)() = nullptr;
  const char* only = nullptr;
  bool (*is_there)(const Row& row) = nullptr;
};

template <typename Row, std::size_t Count>
struct Object {
  const char* name = nullptr;
  const char* meaning = nullptr;
  std::array<Field<Row>, Count> fields = {};
  void (*write_base)(const Row& row, Json& into) = nullptr;
  ObjectText (*base)() = nullptr;
};

template <typename Row>
struct Tag {};

template <typename Value>
concept Described = requires {
  describe(Tag<Value>{});
};

template <typename Value>
concept Formatted = requires(const Value& value) {
  value.json();
  Value::type();
};

template <typename>
inline constexpr std::size_t kTupleSize = 0;
template <typename Value, std::size_t Size>
inline constexpr std::size_t kTupleSize<std::array<Value, Size>> = Size;

template <typename Row>
void write_fields(const Row& row, Json& into) {
  static constexpr auto kObject = describe(Tag<Row>{});
  if (kObject.write_base != nullptr) kObject.write_base(row, into);
  for (const Field<Row>& field : kObject.fields) {
    if (field.is_there == nullptr || field.is_there(row)) into[field.name] = field.write(row);
  }
}

template <typename Value>
Json json_of(const Value& value) {
  static_assert(!std::is_floating_point_v<Value>, "a number needs a format: how many digits mean something?");
  if constexpr (base::kIsOptional<Value>) {
    return value ? json_of(*value) : Json(nullptr);
  } else if constexpr (base::kIsReference<Value>) {
    return json_of(value.get());
  } else if constexpr (model::Named<Value>) {
    return to_string(value);
  } else if constexpr (Formatted<Value>) {
    return value.json();
  } else if constexpr (Described<Value>) {
    Json object = Json::object();
    write_fields(value, object);
    return object;
  } else if constexpr (std::is_arithmetic_v<Value> || std::is_convertible_v<Value, std::string_view>) {
    return value;
  } else {
    Json list = Json::array();
    for (const auto& element : value) list.push_back(json_of(element));
    return list;
  }
}

template <typename Row>
ObjectText text_of() {
  static constexpr auto kObject = describe(Tag<Row>{});
  ObjectText text{kObject.name, kObject.meaning, {}, kObject.base};
  for (const Field<Row>& field : kObject.fields) {
    text.fields.push_back({field.name, field.meaning, field.type(), field.only});
  }
  return text;
}

template <typename Value>
TypeText type_of() {
  using Kind = TypeText::Kind;
  if constexpr (base::kIsOptional<Value>) {
    TypeText type = type_of<typename Value::value_type>();
    type.is_nullable = true;
    return type;
  } else if constexpr (base::kIsReference<Value>) {
    return type_of<std::remove_cv_t<typename Value::type>>();
  } else if constexpr (model::Named<Value>) {
    TypeText type{.kind = Kind::String};
    for (std::size_t at = 0; at < model::count_of<Value>(); ++at) {
      type.names.push_back(to_string(static_cast<Value>(at)));
    }
    return type;
  } else if constexpr (Formatted<Value>) {
    return Value::type();
  } else if constexpr (Described<Value>) {
    return {.kind = Kind::Object, .object = text_of<Value>};
  } else if constexpr (std::is_same_v<Value, bool>) {
    return {.kind = Kind::Boolean};
  } else if constexpr (std::is_integral_v<Value>) {
    return {.kind = Kind::Integer};
  } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
    return {.kind = Kind::String};
  } else {
    TypeText type = type_of<std::remove_cvref_t<decltype(*std::declval<Value>().begin())>>();
    if (kTupleSize < Value >> 0) type.tuple_size = kTupleSize<Value>;
    ++type.list_depth;
    return type;
  }
}

template <typename Row, typename Value, typename Function>
Row row_of(Value (Function::*)(const Row&) const);
template <typename Row, typename Value, typename Function>
Value result_of(Value (Function::*)(const Row&) const);

// A field whose value is computed.
template <typename Read>
constexpr auto field(const char* name, const char* meaning, Read /*read*/) {
  using Row = decltype(row_of(&Read::operator()));
  using Value = decltype(result_of(&Read::operator()));
  return Field<Row>{name, meaning, [](const Row& row) { return json_of(Read{}(row)); }, type_of<Value>};
}

// A field that is a member, in a format: number of digits, null where it is empty.
template <typename Format, auto... Path>
constexpr auto field_as(const char* name, const char* meaning) {
  using Row = base::OwnerOf<Path...>;
  constexpr bool kMayBeNull = base::kPathMayBeEmpty<Path...>;
  return Field<Row>{name, meaning,
                    [](const Row& row) {
                      const auto* member = base::find_member<Path...>(row);
                      if constexpr (base::kIsOptional<std::remove_cvref_t<decltype(*member)>>) {
                        return member != nullptr && *member ? json_of(Format{**member}) : Json(nullptr);
                      } else {
                        return member != nullptr ? json_of(Format{*member}) : Json(nullptr);
                      }
                    },
                    kMayBeNull ? type_of<std::optional<Format>> : type_of<Format>};
}

template <typename Value>
struct WithoutOptional {
  using Type = Value;
};
template <typename Value>
struct WithoutOptional<std::optional<Value>> {
  using Type = Value;
};

// Any member as it is.
template <typename Value>
struct AsIs {
  const Value& value;
  [[nodiscard]] Json json() const { return json_of(value); }
  static TypeText type() { return type_of<Value>(); }
};

// A field that is a member, null where the path to it ends early.
template <auto... Path>
constexpr auto field(const char* name, const char* meaning) {
  using Value = std::remove_cvref_t<base::ValueOf<Path...>>;
  return field_as<AsIs<typename WithoutOptional<Value>::Type>, Path...>(name, meaning);
}

// The same field, which is only there in some reports.
template <typename Row>
constexpr Field<Row> only(const char* where, bool (*is_there)(const Row& row), Field<Row> field) {
  field.only = where;
  field.is_there = is_there;
  return field;
}

// A field of a row that logs have too: only a row of a recording has `watched`.
template <typename Row>
constexpr Field<Row> of_recording(Field<Row> field) {
  return only(
      "recording", +[](const Row& row) { return row.watched != nullptr; }, field);
}

template <typename Row, typename... Rows>
constexpr auto object(const char* name, const char* meaning, Field<Row> first, Field<Rows>... rest) {
  return Object<Row, 1 + sizeof...(Rows)>{name, meaning, {first, rest...}};
}

// An object that begins with the fields of its member.
template <auto Base, typename Row, std::size_t Count>
constexpr auto extends(Object<Row, Count> object) {
  object.write_base = [](const Row& row, Json& into) { write_fields(row.*Base, into); };
  object.base = text_of<std::remove_cvref_t<base::ValueOf<Base>>>;
  return object;
}

// What every document begins with.
template <typename Row>
constexpr auto program_version() {
  return field("lowtide", "version of the program", [](const Row&) { return program_version_text(); });
}
template <typename Row>
constexpr auto schema_version() {
  return field("schema", "version of this description", [](const Row&) { return 1; });
}

template <typename Row>
std::string document_of(const Row& row) {
  return written(json_of(row), 2) + "\n";
}

}  // namespace lowtide::show

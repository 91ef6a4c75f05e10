// The values of the contract's JSON: numbers with the digits that mean
// something, null for what is not known.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lowtide::show {

using Json = nlohmann::ordered_json;

// The only way in which lowtide writes JSON. Invalid UTF-8 is replaced, and what cannot be seen is escaped.
std::string written(const Json& json, int indent = -1);

std::string_view program_version_text();

// Digits that mean something: the rest is noise, and differs between machines.
Json number(double value, int significant = 6);

// A share or a chance, 0..1.
Json share(double value);

// Steps are whole where they are: 85, not 85.0.
Json step_number(double value);

Json bytes_number(double value);

Json text_or_null(const std::string& text);

// The name of a process, a span or a frame as the target has it, for what a viewer shows.
std::string printable_name(std::string_view name);

}  // namespace lowtide::show

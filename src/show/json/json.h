// The contract's JSON (docs/json.md): every key is always there, absent
// knowledge is null or an empty list, and a number that is not finite is null.
#pragma once

#include <string>
#include <string_view>

#include "model/gate.h"
#include "model/report.h"

namespace lowtide::show {

// The whole report, indented, with a line end; with the rules that were checked, where there were any.
std::string to_json(const model::Report& report, const model::Gate* gate = nullptr);

// One line of `analyze --series --json`: {"id": ..., "verdict": VERDICT}. `id`
// is JSON already, as it came: a string or a number.
std::string to_json_line(std::string_view id_json, const model::Verdict& verdict);

// {"id": null, "error": "..."}
std::string to_json_error_line(std::string_view error);

}  // namespace lowtide::show

// Is this text at all? Asked of the first bytes of a log, before anything is read into them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace lowtide::ingest {

// What speaks against reading it: compressed, or not text. `control_bytes` gets how many there are
// in text that passes.
std::optional<base::Error> find_not_text(std::string_view start, std::uint64_t& control_bytes);

// Does this begin a JSON array, or an object that holds one, all on one line?
bool is_array_on_one_line(std::string_view text);

}  // namespace lowtide::ingest

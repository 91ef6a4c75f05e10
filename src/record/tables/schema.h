// The schema of a recording; docs/recording.md describes it for people.
#pragma once

#include <cstdint>
#include <string>

namespace lowtide::record {

inline constexpr int kSchemaVersion = 1;
inline constexpr std::uint32_t kApplicationId = 0x6C6F7774;  // "lowt"

// One script that makes an empty database a recording.
std::string schema_sql();

}  // namespace lowtide::record

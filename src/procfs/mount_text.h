// Words of a mount table: /proc/PID/mountinfo.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lowtide::procfs {

inline constexpr std::size_t kMostMountinfoBytes = 4U << 20U;

// "rw,memory" has "memory".
bool has_item(std::string_view list, std::string_view item);

// mountinfo writes blanks and backslashes as \040 and \134.
std::string unescape_mount(std::string_view text);

}  // namespace lowtide::procfs

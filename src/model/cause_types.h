// Object types whose counts name a cause: what keeps tracebacks, closures or a cache alive. Objects of these
// types are small, so a recording keeps their counts even where it keeps only the largest types. A cause that
// needs another type adds it here.
#pragma once

#include <array>
#include <string_view>

namespace lowtide::model::cause_types {

inline constexpr std::string_view kTraceback = "traceback";
inline constexpr std::string_view kCell = "cell";
inline constexpr std::string_view kFunction = "function";
inline constexpr std::string_view kOrderedDict = "collections.OrderedDict";

inline constexpr std::array kAll = {kTraceback, kCell, kFunction, kOrderedDict};

}  // namespace lowtide::model::cause_types

// Object types whose counts name a cause: what keeps tracebacks, closures or a cache alive. Objects of these
// types are small, so a recording keeps their counts even where it keeps only the largest types. A cause that
// needs another type adds it here.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace lowtide::model::cause_types {

inline constexpr std::string_view kTraceback = "traceback";
inline constexpr std::string_view kCell = "cell";
inline constexpr std::string_view kFunction = "function";
inline constexpr std::string_view kOrderedDict = "collections.OrderedDict";
inline constexpr std::string_view kTimer = "asyncio.events.TimerHandle";
inline constexpr std::string_view kThreadTask = "concurrent.futures.thread._WorkItem";
inline constexpr std::string_view kProcessTask = "concurrent.futures.process._WorkItem";

// Not a type of Python: stands for all types of functions of autograd graphs.
inline constexpr std::string_view kGraphFunction = "autograd function";

inline constexpr std::array kAll = {kTraceback, kCell,       kFunction,    kOrderedDict,
                                    kTimer,     kThreadTask, kProcessTask, kGraphFunction};

inline bool is_one(std::string_view type) {
  return std::find(kAll.begin(), kAll.end(), type) != kAll.end();
}

}  // namespace lowtide::model::cause_types

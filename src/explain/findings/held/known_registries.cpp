#include "explain/findings/held/known_registries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "explain/findings/advice.h"
#include "explain/findings/held/identifier_words.h"
#include "explain/settle/sites/own_frames.h"

namespace lowtide::explain {
namespace {

// The end of the path of a variable, and the advice.
constexpr std::array<std::pair<std::string_view, const char*>, 7> kKnown{{
    {".__warningregistry__",
     "Python keeps the text of each warning there: use the same text each time, or log what differs"},
    {"weakref.finalize._registry",
     "call or `detach()` each finalizer when its work is done: until its object is gone it keeps its "
     "arguments"},
    {".loggerDict",
     "the logging module keeps every logger: use few names, and put what differs in the message"},
    {"logging.root.handlers",
     "handlers are added again and again: call `addHandler()` once, or `removeHandler()` when one is done"},
    {"matplotlib._pylab_helpers.Gcf.figs", "call `plt.close(figure)` for figures that are no longer needed"},
    {"linecache.cache", "call `linecache.clearcache()` from time to time"},
    {"sys.modules", "a module that was imported stays: import few, and pass what differs as data"},
}};

// Types that keep what went through them.
constexpr std::array<std::pair<std::string_view, const char*>, 2> kKnownTypes{{
    {"itertools.cycle",
     "`itertools.cycle` keeps every item, to repeat them: use a loop over the input (`while True: yield from "
     "...`)"},
    {"itertools._tee",
     "`itertools.tee` keeps what one iterator has returned and another has not: read both at the same pace"},
}};

// Modules of the standard library in whose variables objects of programs are found.
constexpr std::array<std::string_view, 22> kStandard{
    "asyncio",    "atexit",          "builtins",  "codecs", "collections", "concurrent",
    "contextlib", "copyreg",         "functools", "gc",     "importlib",   "linecache",
    "logging",    "multiprocessing", "re",        "sched",  "socket",      "sqlite3",
    "sys",        "threading",       "unittest",  "weakref"};

std::string_view root_of(const model::HeldNode& node) {
  return std::string_view(node.path).substr(0, node.path.find('.'));
}

bool is_of_library(const Scene& scene, std::string_view root) {
  const auto& all = scene.evidence.libraries;
  return std::find(kStandard.begin(), kStandard.end(), root) != kStandard.end() ||
         std::any_of(all.begin(), all.end(), [&](const auto& library) { return library.name == root; }) ||
         has_installed_package(scene.evidence.sites, root);
}

}  // namespace

std::string advice_for_library_variable(const Scene& scene, const model::HeldNode& node) {
  const auto* known = std::find_if(kKnown.begin(), kKnown.end(), [&](const auto& each) {
    return std::string_view(node.path).ends_with(each.first);
  });
  if (known != kKnown.end()) return known->second;
  const auto* type = std::find_if(kKnownTypes.begin(), kKnownTypes.end(),
                                  [&](const auto& each) { return node.type == each.first; });
  if (type != kKnownTypes.end()) return type->second;
  const std::string_view root = root_of(node);
  if (!node.file.empty() || !is_of_library(scene, root)) return {};
  return fmt::format(fmt::runtime(advice::kRegistryOfLibrary), quoted_variable(node), root);
}

}  // namespace lowtide::explain

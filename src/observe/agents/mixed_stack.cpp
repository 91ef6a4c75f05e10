#include "observe/agents/mixed_stack.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lowtide::observe {
namespace {

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_agent(const symbols::SourceFrame& frame) {
  return name_of(frame.module).starts_with("liblowtide_agent");
}

// The agent stands in front of these, and the frame outside of it called one of them. Where the compiler made
// a jump of a call, its frame is another function's.
constexpr std::array<std::string_view, 12> kAllocators{
    "malloc",   "calloc", "realloc", "reallocarray", "posix_memalign", "aligned_alloc",
    "memalign", "valloc", "pvalloc", "mmap",         "mmap64",         "mremap"};

bool is_allocator(const symbols::SourceFrame& frame) {
  return is_agent(frame) &&
         std::find(kAllocators.begin(), kAllocators.end(), frame.function) != kAllocators.end();
}

bool is_interpreter(const symbols::SourceFrame& frame) {
  const std::string_view name = name_of(frame.module);
  return name.starts_with("python") || name.starts_with("libpython");
}

bool is_loop(const symbols::SourceFrame& frame) {
  return is_interpreter(frame) && frame.function.starts_with("_PyEval_EvalFrame");
}

model::Frame frame_of(const symbols::SourceFrame& native) {
  return {.language = model::FrameLanguage::Native,
          .function = native.function,
          .file = native.file,
          .line = native.line,
          .module = native.module};
}

}  // namespace

std::vector<model::Frame> join_stacks(std::span<const symbols::SourceFrame> native,
                                      std::span<const PythonCall> python, std::string_view allocator) {
  std::vector<model::Frame> joined;
  std::size_t next = 0;
  const auto add_python = [&] {
    while (next < python.size()) {
      joined.push_back(python[next].frame);
      if (python[next++].is_entry) return;
    }
  };
  // An interpreter without symbols: each run of its frames is taken for a loop.
  const bool has_loops = std::any_of(native.begin(), native.end(), is_loop);
  bool in_interpreter = false;
  bool in_agent = false;
  for (const symbols::SourceFrame& frame : native) {
    if (is_agent(frame)) {
      in_agent = true;
      if (is_allocator(frame)) allocator = frame.function;
      continue;
    }
    // What the interpreter itself asks for is named by the Python line.
    if (in_agent && !allocator.empty() && !is_interpreter(frame)) {
      joined.push_back({.function = std::string(allocator)});
    }
    in_agent = false;
    if (is_interpreter(frame)) {
      if (has_loops ? is_loop(frame) : !in_interpreter) add_python();
      in_interpreter = true;
      continue;
    }
    in_interpreter = false;
    joined.push_back(frame_of(frame));
  }
  while (next < python.size()) joined.push_back(python[next++].frame);
  return joined;
}

}  // namespace lowtide::observe

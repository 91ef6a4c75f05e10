#include "observe/agents/mixed_stack.h"

#include <gtest/gtest.h>

namespace lowtide::observe {
namespace {

symbols::SourceFrame native(const char* function, const char* module) {
  symbols::SourceFrame frame;
  frame.function = function;
  frame.module = module;
  return frame;
}

PythonCall python(const char* function, bool is_entry) {
  return {{.language = model::FrameLanguage::Python, .function = function}, is_entry};
}

std::vector<std::string> names(const std::vector<model::Frame>& frames) {
  std::vector<std::string> list;
  list.reserve(frames.size());
  for (const model::Frame& frame : frames) list.push_back(frame.function);
  return list;
}

using Names = std::vector<std::string>;

TEST(join_stacks, puts_python_frames_in_the_place_of_the_loop_that_ran_them) {
  const std::vector<symbols::SourceFrame> natives = {
      native("malloc", "/x/liblowtide_agent.so"),
      native("at::empty", "/x/libtorch.so"),
      native("_PyEval_EvalFrameDefault", "/usr/bin/python3.11"),
      native("slot_tp_call", "/usr/bin/python3.11"),
      native("callback", "/x/ext.so"),
      native("_PyEval_EvalFrameDefault", "/usr/bin/python3.11"),
      native("main", "/usr/bin/python3.11"),
      native("__libc_start_main", "/lib/libc.so.6")};
  const std::vector<PythonCall> calls = {python("inner", false), python("called_from_ext", true),
                                         python("outer", false), python("<module>", true)};

  EXPECT_EQ(names(join_stacks(natives, calls)),
            (Names{"malloc", "at::empty", "inner", "called_from_ext", "callback", "outer", "<module>",
                   "__libc_start_main"}));
}

TEST(join_stacks, keeps_python_frames_whose_native_part_was_cut) {
  const std::vector<symbols::SourceFrame> natives = {native("at::empty", "/x/libtorch.so")};
  const std::vector<PythonCall> calls = {python("inner", true), python("<module>", true)};

  EXPECT_EQ(names(join_stacks(natives, calls)), (Names{"at::empty", "inner", "<module>"}));
}

TEST(join_stacks, takes_a_run_of_an_interpreter_without_symbols_for_a_loop) {
  const std::vector<symbols::SourceFrame> natives = {
      native("grow", "/x/ext.so"), native("", "/usr/bin/python3.11"), native("", "/usr/bin/python3.11"),
      native("__libc_start_main", "/lib/libc.so.6")};
  const std::vector<PythonCall> calls = {python("inner", false), python("<module>", true)};

  EXPECT_EQ(names(join_stacks(natives, calls)), (Names{"grow", "inner", "<module>", "__libc_start_main"}));
}

TEST(join_stacks, without_python_is_the_native_stack_less_the_agents_own_functions) {
  const std::vector<symbols::SourceFrame> natives = {
      native("lowtide::agent::take_sample", "/x/liblowtide_agent.so"),
      native("malloc", "/x/liblowtide_agent.so"), native("leak", "/x/job"), native("main", "/x/job")};

  EXPECT_EQ(names(join_stacks(natives, {})), (Names{"malloc", "leak", "main"}));
}

TEST(join_stacks, does_not_tell_the_allocator_of_the_interpreter) {
  const std::vector<symbols::SourceFrame> natives = {
      native("malloc", "/x/liblowtide_agent.so"), native("list_resize", "/usr/bin/python3.11"),
      native("_PyEval_EvalFrameDefault", "/usr/bin/python3.11")};

  EXPECT_EQ(names(join_stacks(natives, std::vector{python("append", true)})), (Names{"append"}));
}

TEST(join_stacks, names_the_allocator_that_python_called_through_a_bridge) {
  const std::vector<symbols::SourceFrame> natives = {
      // malloc itself has jumped there
      native("lowtide::agent::sampled", "/x/liblowtide_agent.so"), native("ffi_call", "/x/libffi.so.8"),
      native("_PyEval_EvalFrameDefault", "/usr/bin/python3.11")};
  const std::vector<model::Frame> frames =
      join_stacks(natives, std::vector{python("decode", true)}, "malloc");

  EXPECT_EQ(names(frames), (Names{"malloc", "ffi_call", "decode"}));
  EXPECT_EQ(frames[0].module, "");
}

}  // namespace
}  // namespace lowtide::observe

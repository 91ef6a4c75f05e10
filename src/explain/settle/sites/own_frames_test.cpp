#include "explain/settle/sites/own_frames.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using model::Frame;
using model::FrameLanguage;

Frame native(const char* function, const char* module) {
  return {.language = FrameLanguage::Native, .function = function, .module = module};
}

Frame python(const char* function, const char* file, std::uint32_t line = 1) {
  return {.language = FrameLanguage::Python, .function = function, .file = file, .line = line};
}

TEST(OwnFrames, line_of_the_user_is_found_under_torch_and_the_interpreter) {
  const std::vector<Frame> frames{
      native("posix_memalign", "/usr/lib/x86_64-linux-gnu/libc.so.6"),
      native("at::empty", "/opt/venv/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so"),
      native("_PyEval_EvalFrameDefault", "/usr/bin/python3.11"),
      python("forward", "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py"),
      python("validate", "/data/job/trainer.py", 631),
      python("<module>", "/data/job/train.py", 12)};

  EXPECT_EQ(frame_to_act_on(frames), 4U);
}

TEST(OwnFrames, function_of_the_users_native_module_comes_before_his_python_line) {
  const std::vector<Frame> frames{
      native("malloc", "/usr/lib/libc.so.6"), native("decode_frame", "/data/job/build/libdecoder.so"),
      native("ffi_call", "/usr/lib/libffi.so.8"), python("decode", "/data/job/train.py", 39)};

  EXPECT_EQ(frame_to_act_on(frames), 1U);
  EXPECT_TRUE(is_native_allocation(frames, 1));
}

TEST(OwnFrames, malloc_through_ctypes_is_native_and_its_line_is_the_one_to_act_on) {
  const std::vector<Frame> frames{
      native("malloc", "/usr/lib/libc.so.6"), native("ffi_call", "/usr/lib/libffi.so.8"),
      native("PyCFuncPtr_call", "/usr/lib/python3.11/lib-dynload/_ctypes.cpython-311.so"),
      python("native_decode", "13_native_malloc.py", 39)};

  EXPECT_EQ(frame_to_act_on(frames), 3U);
  EXPECT_TRUE(is_native_allocation(frames, 3));
  EXPECT_EQ(function_behind_bridge(frames, 3), "malloc");
}

TEST(OwnFrames, call_through_ctypes_that_a_library_makes_is_not_a_call_of_the_line) {
  const std::vector<Frame> frames{
      native("LLVMPY_RunPassManager", "/v/site-packages/llvmlite/binding/libllvmlite.so"),
      native("PyCFuncPtr_call", "/usr/lib/python3.11/lib-dynload/_ctypes.cpython-311.so"),
      python("run", "/v/site-packages/llvmlite/binding/passmanagers.py", 9), python("count", "job.py", 48)};

  EXPECT_TRUE(is_native_allocation(frames, 3));
  EXPECT_EQ(function_behind_bridge(frames, 3), "");
  EXPECT_EQ(find_native_library(frames).name, "llvmlite");
}

TEST(OwnFrames, objects_that_torch_makes_for_python_are_not_native_allocations) {
  const std::vector<Frame> frames{native("posix_memalign", "/lib/libc.so.6"),
                                  native("at::empty", "/v/site-packages/torch/lib/libtorch_cpu.so"),
                                  python("train", "train.py", 9)};

  EXPECT_FALSE(is_native_allocation(frames, 2));
  EXPECT_EQ(function_behind_bridge(frames, 2), "");
}

TEST(OwnFrames, container_code_of_the_standard_library_in_a_program_is_passed_over) {
  const std::vector<Frame> frames{native("operator new(unsigned long)", "/usr/lib/libstdc++.so.6"),
                                  native("std::vector<int>::push_back(int&&)", "/data/job/trainer"),
                                  native("collect_losses()", "/data/job/trainer"),
                                  native("main", "/data/job/trainer")};

  EXPECT_EQ(frame_to_act_on(frames), 2U);
}

TEST(OwnFrames, without_a_frame_of_the_user_the_innermost_python_frame_is_taken) {
  const std::vector<Frame> frames{native("malloc", "/lib/libc.so.6"),
                                  python("<module>", "/usr/lib/python3/dist-packages/tool/cli.py", 3),
                                  python("_run_code", "<frozen runpy>", 88)};

  EXPECT_EQ(frame_to_act_on(frames), 1U);
}

TEST(OwnFrames, code_that_was_typed_in_is_the_users_and_frozen_code_is_not) {
  EXPECT_TRUE(is_own_python(python("<module>", "<string>")));
  EXPECT_TRUE(is_own_python(python("f", "/tmp/ipykernel_77/12.py")));
  EXPECT_TRUE(is_own_python(python("main", "train.py")));
  EXPECT_FALSE(is_own_python(python("_load", "<frozen importlib._bootstrap>")));
  EXPECT_FALSE(is_own_python(python("dumps", "/usr/lib/python3.11/json/__init__.py")));
  EXPECT_FALSE(is_own_python(python("f", "")));
}

TEST(OwnFrames, stack_without_frames_or_names_does_no_harm) {
  EXPECT_EQ(frame_to_act_on({}), 0U);
  EXPECT_EQ(frame_to_act_on({native("", ""), native("", "/lib/libc.so.6")}), 0U);
  EXPECT_TRUE(is_native_allocation({}, 0));
}

TEST(OwnFrames, library_of_native_code_is_its_package) {
  const auto name_of = [](const std::vector<model::Frame>& frames) {
    return find_native_library(frames).name;
  };
  const auto native = [](std::string function, std::string module) {
    model::Frame frame;
    frame.language = model::FrameLanguage::Native;
    frame.function = std::move(function);
    frame.module = std::move(module);
    return frame;
  };
  model::Frame line;
  line.language = model::FrameLanguage::Python;
  line.function = "encode";
  line.file = "/data/job/train.py";
  const std::string packages = "/opt/venv/lib/python3.11/site-packages/";

  EXPECT_EQ(
      name_of({native("malloc", ""), native("", packages + "ujson.cpython-311-x86_64-linux-gnu.so"), line}),
      "ujson");
  EXPECT_EQ(name_of({native("operator new(unsigned long)", "/usr/lib/libstdc++.so.6"),
                     native("", packages + "faiss/_swigfaiss.cpython-311-x86_64-linux-gnu.so"), line}),
            "faiss");
  EXPECT_EQ(name_of({native("sqlite3Malloc", "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0.8.6"), line}),
            "libsqlite3");
  EXPECT_EQ(name_of({native("mmap", ""), native("gotoblas_init", packages + "numpy.libs/libopenblas.so")}),
            "numpy");
  EXPECT_EQ(name_of({native("malloc", ""), native("PyObject_Malloc", "/usr/bin/python3.11"), line}), "");
  EXPECT_EQ(name_of({line, native("unpack", packages + "msgpack/_cmsgpack.so")}), "")
      << "a library that calls Python";
  model::Frame module = line;
  module.function = "<module>";
  EXPECT_EQ(name_of({line, module, native("unpack", packages + "msgpack/_cmsgpack.so")}), "msgpack");
}

TEST(OwnFrames, modules_of_the_user_are_those_of_his_files) {
  SiteEvidence site;
  model::Frame own;
  own.language = model::FrameLanguage::Python;
  own.file = "/data/job/project/train.py";
  model::Frame installed = own;
  installed.file = "/opt/venv/lib/python3.11/site-packages/pandas/core/frame.py";
  site.info.frames = {installed, own};

  const OwnModules modules = own_modules({site});

  EXPECT_TRUE(modules.contains("__main__"));
  EXPECT_TRUE(modules.contains("train"));
  EXPECT_TRUE(modules.contains("project"));
  EXPECT_FALSE(modules.contains("pandas"));
}

}  // namespace
}  // namespace lowtide::explain

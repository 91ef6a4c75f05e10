#include "explain/driver_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/driver_rows.h"

namespace lowtide::explain {
namespace {

using model::Frame;
using model::FrameLanguage;
using model::MemoryPart;
using model::SiteMemory;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

constexpr std::uint64_t kMB = 1'000'000;
constexpr model::ProcessId kProcess{3};

Frame native(const char* function, const char* module) {
  return {.function = function, .module = module};
}
Frame python(const char* file, std::uint32_t line, const char* function) {
  return {.language = FrameLanguage::Python, .function = function, .file = file, .line = line};
}

const char* const kTrain = "/home/user/train.py";

// As unwound on an H200: the first frame is the agent's, without a module.
std::vector<Frame> nccl_stack() {
  return {native("cuMemCreate", ""),
          native("ncclCuMemAlloc", "/opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2"),
          native("c10d::ProcessGroupNCCL::broadcast",
                 "/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so"),
          python("/opt/venv/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py", 2714,
                 "broadcast"),
          python(kTrain, 31, "setup")};
}
std::vector<Frame> torch_stack() {
  return {native("cuMemAlloc", ""), native("cudaMalloc", "/opt/lib/libcudart.so.12"),
          native("", "/opt/venv/lib/python3.12/site-packages/torch/lib/libc10_cuda.so"),
          python(kTrain, 40, "step")};
}
std::vector<Frame> ctypes_stack() {
  return {native("cuMemAlloc", ""), native("cudaMalloc", "/usr/local/cuda/lib64/libcudart.so.12"),
          native("ffi_call_unix64", "/lib/x86_64-linux-gnu/libffi.so.8"),
          native("", "/usr/lib/python3.12/lib-dynload/_ctypes.cpython-312-x86_64-linux-gnu.so"),
          python(kTrain, 63, "step")};
}

SiteEvidence site(std::vector<Frame> frames, SiteMemory memory,
                  std::vector<std::pair<double, std::uint64_t>> course) {
  SiteEvidence out;
  out.info.process = kProcess;
  out.info.memory = memory;
  out.info.frames = std::move(frames);
  for (const auto& [at_s, bytes] : course) {
    SiteMoment moment;
    moment.at_s = at_s;
    moment.live_bytes = bytes;
    out.moments.push_back(moment);
  }
  return out;
}

Evidence evidence_with(std::vector<SiteEvidence> sites,
                       model::CudaDriver driver = model::CudaDriver::Followed) {
  Evidence out;
  out.last_at_s = 100;
  out.driver_sites = std::move(sites);
  HeapEvidence heap;
  heap.process = kProcess;
  heap.last.cuda_driver = driver;
  heap.last.cuda_modules = 29;
  out.heaps.push_back(heap);
  for (int at = 0; at <= 100; ++at) out.target.push_back({.at_s = 1.0 * at, .step = 10.0 * at});
  out.steps = {.known = true, .first_at_s = 0, .last_at_s = 100};
  out.early = {5, 20};
  out.late = {85, 100};
  return out;
}

auto row(const char* name, std::uint64_t bytes) {
  return AllOf(Field(&MemoryPart::name, name), Field(&MemoryPart::bytes, bytes));
}

TEST(DriverMemory, owner_is_the_first_library_outside_of_the_driver_and_the_runtime) {
  const Evidence evidence = evidence_with({site(nccl_stack(), SiteMemory::Gpu, {{1, 900 * kMB}}),
                                           site(torch_stack(), SiteMemory::Gpu, {{1, 700 * kMB}}),
                                           site(ctypes_stack(), SiteMemory::Gpu, {{1, 60 * kMB}})});

  const std::vector<DriverUse> uses = find_driver_uses(evidence, kProcess, DriverPlace::Gpu);

  ASSERT_EQ(uses.size(), 3U);
  EXPECT_EQ(uses[0].library, "libnccl");
  EXPECT_EQ(uses[0].line.line, 31U) << "the innermost line of the user";
  EXPECT_FALSE(uses[0].is_of_framework);
  EXPECT_TRUE(uses[1].is_of_framework) << "torch's own pool";
  EXPECT_EQ(uses[2].library, "") << "the job itself";
  EXPECT_EQ(call_words(uses[2]), "cudaMalloc, called at train.py:63");
}

TEST(DriverMemory, sites_of_the_driver_are_taken_out_of_those_of_the_host) {
  std::vector<SiteEvidence> sites{site(nccl_stack(), SiteMemory::Gpu, {{1, 900 * kMB}}),
                                  site(torch_stack(), SiteMemory::Host, {{1, 700 * kMB}}),
                                  site(ctypes_stack(), SiteMemory::Pinned, {{1, 60 * kMB}})};

  const std::vector<SiteEvidence> of_driver = take_driver_sites(sites);

  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].info.memory, SiteMemory::Host);
  EXPECT_EQ(of_driver.size(), 2U);
}

TEST(DriverMemory, pinned_memory_is_no_memory_of_a_gpu) {
  const Evidence evidence = evidence_with({site(ctypes_stack(), SiteMemory::Pinned, {{1, 5 * kMB}}),
                                           site(nccl_stack(), SiteMemory::Registered, {{1, 4 * kMB}})});

  EXPECT_TRUE(find_driver_uses(evidence, kProcess, DriverPlace::Gpu).empty());
  EXPECT_EQ(find_driver_uses(evidence, kProcess, DriverPlace::Host).size(), 2U);
  EXPECT_TRUE(find_driver_uses(evidence, model::ProcessId{4}, DriverPlace::Host).empty());
}

TEST(DriverMemory, rows_add_up_to_what_the_driver_counts_and_the_remainder_is_one_of_them) {
  const Evidence evidence =
      evidence_with({site(nccl_stack(), SiteMemory::Gpu, {{1, 800 * kMB}}),
                     site(torch_stack(), SiteMemory::Gpu, {{1, 700 * kMB}}),
                     site(ctypes_stack(), SiteMemory::Gpu, {{10, 40 * kMB}, {90, 360 * kMB}})});

  const DriverRows rows = driver_rows(evidence, kProcess, 95, 1800 * kMB);

  EXPECT_THAT(rows.parts, ElementsAre(row("libnccl", 800 * kMB), row("allocated by the job", 360 * kMB),
                                      row("CUDA context and code", 640 * kMB)));
  EXPECT_EQ(rows.unnamed_bytes, 0U);
  ASSERT_TRUE(rows.parts[1].growth_per_step);
  EXPECT_DOUBLE_EQ(*rows.parts[1].growth_per_step, 320e6 / 800);
  EXPECT_THAT(rows.parts[1].what, HasSubstr("cudaMalloc, called at train.py:63, +400 kB per step"));
  EXPECT_THAT(rows.parts[2].what, HasSubstr("29 modules of code"));
}

TEST(DriverMemory, what_was_not_followed_is_one_row_with_the_reason) {
  const Evidence evidence = evidence_with({}, model::CudaDriver::Late);

  const DriverRows rows = driver_rows(evidence, kProcess, 95, 700 * kMB);

  EXPECT_THAT(rows.parts, ElementsAre(row("outside torch", 700 * kMB)));
  EXPECT_THAT(rows.parts[0].what, HasSubstr("loaded before lowtide"));
}

TEST(DriverMemory, too_much_is_said_and_not_hidden) {
  const Evidence evidence = evidence_with({site(nccl_stack(), SiteMemory::Gpu, {{1, 800 * kMB}})});

  const DriverRows rows = driver_rows(evidence, kProcess, 95, 300 * kMB);

  EXPECT_THAT(rows.parts, ElementsAre(row("libnccl", 300 * kMB), row("CUDA context and code", 0)));
  EXPECT_THAT(rows.parts[1].what, HasSubstr("500 MB more than the driver counts"));
}

TEST(DriverMemory, where_the_driver_names_no_process_the_calls_are_all_that_is_known) {
  const Evidence evidence = evidence_with({site(nccl_stack(), SiteMemory::Gpu, {{1, 800 * kMB}})});

  const DriverRows rows = driver_rows(evidence, kProcess, 95, 0);

  EXPECT_EQ(rows.unnamed_bytes, 800 * kMB);
  EXPECT_THAT(rows.parts, ElementsAre(row("libnccl", 800 * kMB), row("CUDA context and code", 0)));
}

}  // namespace
}  // namespace lowtide::explain

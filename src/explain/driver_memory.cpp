#include "explain/driver_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "base/text.h"
#include "explain/settle/sites/own_frames.h"

namespace lowtide::explain {
namespace {

using model::Frame;
using model::FrameLanguage;
using model::SiteMemory;

// "libnccl.so.2" is libnccl.
std::string_view library_name(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return file.substr(0, std::min(file.find(".so"), file.find(".cpython")));
}

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

// They ask on behalf of somebody else.
bool is_passage(std::string_view library) {
  return begins_with_any(library,
                         {"libcuda", "libcudart", "libc", "ld-", "libpthread", "libstdc++", "libgcc_s"}) &&
         !begins_with_any(library, {"libcublas", "libcudnn", "libcufft", "libcurand", "libcusolver",
                                    "libcusparse", "libc10", "libcutlass", "libcupti"});
}

bool is_bridge(std::string_view library) {
  return begins_with_any(library, {"libffi", "_ctypes", "_cffi_backend", "libpython", "python"});
}

// The first library outside of the driver and the CUDA runtime; empty: the job itself.
std::string owner_of(const std::vector<Frame>& frames) {
  for (const Frame& frame : frames) {
    if (frame.language == FrameLanguage::Python) return {};
    const std::string_view library = library_name(frame.module);
    if (library.empty() || is_passage(library)) continue;
    return is_bridge(library) || !is_runtime(frame) ? std::string() : std::string(library);
  }
  return {};
}

bool is_of_framework(std::string_view library, SiteMemory memory) {
  if (memory == SiteMemory::Gpu || memory == SiteMemory::GpuPool)
    return begins_with_any(library, {"libc10_cuda", "xla_cuda_plugin", "libjax", "xla_extension"});
  return begins_with_any(library, {"libc10", "libtorch", "xla_cuda_plugin", "libjax", "xla_extension"});
}

bool is_at(SiteMemory memory, DriverPlace place) {
  const bool is_on_gpu = memory == SiteMemory::Gpu || memory == SiteMemory::GpuPool;
  return is_on_gpu == (place == DriverPlace::Gpu);
}

DriverUse use_of(const SiteEvidence& site) {
  const std::vector<Frame>& frames = site.info.frames;
  DriverUse out;
  out.library = owner_of(frames);
  out.is_of_framework = is_of_framework(out.library, site.info.memory);
  const std::size_t act_on = frame_to_act_on(frames);
  if (!frames.empty()) out.function = frames.front().function;
  if (out.library.empty()) {
    if (const std::string called = function_behind_bridge(frames, act_on); !called.empty())
      out.function = called;
  }
  if (act_on < frames.size() && frames[act_on].language == FrameLanguage::Python) {
    const Frame& frame = frames[act_on];
    out.line = {.file = frame.file, .line = frame.line, .function = frame.function};
  }
  out.sites = {&site};
  return out;
}

}  // namespace

std::uint64_t DriverUse::bytes_at(double at_s) const {
  std::uint64_t out = 0;
  for (const SiteEvidence* site : sites) out += site->at(at_s).live_bytes;
  return out;
}

std::vector<DriverUse> find_driver_uses(const Evidence& evidence, model::ProcessId process,
                                        DriverPlace place) {
  std::map<std::tuple<std::string, std::string, std::uint64_t, bool>, DriverUse> uses;
  for (const SiteEvidence& site : evidence.driver_sites) {
    if (site.info.process != process || !is_at(site.info.memory, place)) continue;
    DriverUse use = use_of(site);
    const auto [found, is_new] =
        uses.try_emplace({use.library, use.line.file, use.line.line, use.is_of_framework}, use);
    if (!is_new) found->second.sites.push_back(&site);
  }
  std::vector<DriverUse> out;
  out.reserve(uses.size());
  for (auto& [key, use] : uses) out.push_back(std::move(use));
  std::stable_sort(out.begin(), out.end(), [&](const DriverUse& a, const DriverUse& b) {
    return a.bytes_at(evidence.last_at_s) > b.bytes_at(evidence.last_at_s);
  });
  return out;
}

RecordedSeries series_of(const DriverUse& use, const Evidence& evidence) {
  RecordedSeries out;
  for (const SeriesPoint& tick : evidence.target) {
    const std::uint64_t bytes = use.bytes_at(tick.at_s);
    if (out.empty() && bytes == 0) continue;  // before it began
    out.push_back({.at_s = tick.at_s,
                   .span_s = tick.span_s,
                   .step = tick.step,
                   .count = tick.count,
                   .low_bytes = bytes,
                   .high_bytes = bytes});
  }
  return out;
}

std::optional<double> growth_per_step(const DriverUse& use, const Evidence& evidence) {
  const SeriesPoint* const early = nearest(evidence.target, evidence.early.to_s);
  const SeriesPoint* const late = nearest(evidence.target, evidence.late.to_s);
  if (!evidence.steps.known || early == nullptr || late == nullptr) return std::nullopt;
  const double steps = late->step - early->step;
  if (!std::isfinite(steps) || steps < 1) return std::nullopt;
  return (static_cast<double>(use.bytes_at(late->at_s)) - static_cast<double>(use.bytes_at(early->at_s))) /
         steps;
}

std::string owner_words(const DriverUse& use) {
  return use.library.empty() ? "allocated by the job" : base::printable(use.library, 60);
}

std::string call_words(const DriverUse& use) {
  const std::string function = base::printable(use.function, 60);
  if (use.line.file.empty()) return function;
  return fmt::format("{}, called at {}", function, base::printable(model::place_of(use.line), 60));
}

}  // namespace lowtide::explain

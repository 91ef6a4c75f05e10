#include "show/export/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "show/export/protobuf.h"

namespace lowtide::show {
namespace {

using model::Frame;
using model::ProfileSample;
using model::ProfileValue;

std::int64_t whole(std::uint64_t value) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
}

std::int64_t value_of(const ProfileSample& sample, ProfileValue value) {
  switch (value) {
    case ProfileValue::Growth:
      return sample.growth_bytes;
    case ProfileValue::Live:
      return whole(sample.live_bytes);
    case ProfileValue::Allocated:
      return whole(sample.allocated_bytes);
  }
  return 0;
}

std::string function_of(const Frame& frame) {
  if (!frame.function.empty()) return base::printable(frame.function, 300);
  const std::string& where = frame.file.empty() ? frame.module : frame.file;
  return where.empty() ? "?" : base::printable(where.substr(where.rfind('/') + 1), 300);
}

// pprof adds up the functions of one name. `<module>` alone would join the top-level code of every file.
std::string pprof_name(const Frame& frame) {
  std::string name = function_of(frame);
  if (frame.language == model::FrameLanguage::Python && name.starts_with('<') && !frame.file.empty())
    name += fmt::format(" ({})", base::printable(frame.file.substr(frame.file.rfind('/') + 1), 300));
  return name;
}

// The first word of the command line.
std::string program_of(const std::string& command) {
  const std::string program = command.substr(0, command.find(' '));
  return program.empty() ? "program" : program;
}

// pprof cuts these frames and what they call, so that the caller of the allocator is on top. It compares
// whole names, and those of C++ without their parameters.
constexpr const char* kDroppedNames =
    "(__libc_|__GI_|je_|mi_|tc_)?"
    "(malloc|calloc|realloc|reallocarray|memalign|posix_memalign|aligned_alloc|valloc|pvalloc|mmap|mmap64|"
    "mremap)"
    "|operator new(\\[\\])?|_?Py(Mem|Object)_(Raw)?(Malloc|Calloc|Realloc)|_PyObject_GC_.*"
    "|c10::alloc_cpu|c10::DefaultCPUAllocator::allocate";

// Field numbers of profile.proto.
namespace tag {
constexpr std::uint32_t kSampleType = 1;
constexpr std::uint32_t kSample = 2;
constexpr std::uint32_t kMapping = 3;
constexpr std::uint32_t kLocation = 4;
constexpr std::uint32_t kFunction = 5;
constexpr std::uint32_t kStringTable = 6;
constexpr std::uint32_t kDropFrames = 7;
constexpr std::uint32_t kTimeNanos = 9;
constexpr std::uint32_t kDurationNanos = 10;
constexpr std::uint32_t kPeriodType = 11;
constexpr std::uint32_t kPeriod = 12;
constexpr std::uint32_t kComment = 13;
constexpr std::uint32_t kDefaultSampleType = 14;
}  // namespace tag

class Pprof {
 public:
  std::string write(const model::Profile& profile, ProfileValue value) {
    text_of("");
    // pprof takes the first mapping for the program.
    program_ = mapping_of(program_of(profile.command));
    out_.message(tag::kSampleType, type("inuse_space", "bytes"));
    out_.message(tag::kSampleType, type("inuse_objects", "count"));
    out_.message(tag::kSampleType, type("alloc_space", "bytes"));
    out_.message(tag::kSampleType, type("growth", "bytes"));
    for (const ProfileSample& sample : profile.samples) add(sample);
    out_.number(tag::kDropFrames, text_of(kDroppedNames));
    out_.number(tag::kTimeNanos, nanos(profile.started_unix_s));
    out_.number(tag::kDurationNanos, nanos(profile.duration_s));
    out_.message(tag::kPeriodType, type("space", "bytes"));
    out_.number(tag::kPeriod, whole(profile.interval_bytes));
    const std::array comment{text_of(base::printable(profile.command, 400))};
    out_.packed(tag::kComment, comment);
    out_.number(tag::kDefaultSampleType, text_of(value == ProfileValue::Growth ? "growth"
                                                 : value == ProfileValue::Live ? "inuse_space"
                                                                               : "alloc_space"));
    for (const std::string& text : strings_) out_.text(tag::kStringTable, text);
    return out_.bytes();
  }

 private:
  static std::int64_t nanos(double seconds) {
    return std::isfinite(seconds) && seconds > 0 && seconds < 9e9 ? std::llround(seconds * 1e9) : 0;
  }

  std::int64_t text_of(const std::string& text) {
    const auto [found, is_new] = texts_.emplace(text, static_cast<std::int64_t>(strings_.size()));
    if (is_new) strings_.push_back(text);
    return found->second;
  }

  ProtobufWriter type(const std::string& name, const std::string& unit) {
    ProtobufWriter out;
    out.number(1, text_of(name));
    out.number(2, text_of(unit));
    return out;
  }

  void add(const ProfileSample& sample) {
    std::vector<std::int64_t> locations;
    for (const Frame& frame : sample.frames) locations.push_back(location_of(frame));
    const std::array values{whole(sample.live_bytes), whole(sample.live_samples),
                            whole(sample.allocated_bytes), sample.growth_bytes};
    ProtobufWriter label;
    label.number(1, text_of("pid"));
    label.number(3, sample.pid);
    ProtobufWriter out;
    out.packed(1, locations);
    out.packed(2, values);
    out.message(3, label);
    out_.message(tag::kSample, out);
  }

  std::int64_t location_of(const Frame& frame) {
    const auto key = std::make_tuple(pprof_name(frame), frame.file, frame.line, frame.module);
    const auto [found, is_new] = locations_.emplace(key, static_cast<std::int64_t>(locations_.size() + 1));
    if (!is_new) return found->second;
    ProtobufWriter line;
    line.number(1, function_id(frame));
    line.number(2, frame.line);
    ProtobufWriter out;
    out.number(1, found->second);
    out.number(2, frame.module.empty() ? program_ : mapping_of(frame.module));
    out.message(4, line);
    out_.message(tag::kLocation, out);
    return found->second;
  }

  std::int64_t function_id(const Frame& frame) {
    const auto key = std::make_pair(pprof_name(frame), frame.file);
    const auto [found, is_new] = functions_.emplace(key, static_cast<std::int64_t>(functions_.size() + 1));
    if (!is_new) return found->second;
    ProtobufWriter out;
    out.number(1, found->second);
    out.number(2, text_of(key.first));
    // pprof removes brackets, as of C++ templates, from names that equal their system name. Python has none.
    if (frame.language == model::FrameLanguage::Native) out.number(3, text_of(key.first));
    out.number(4, text_of(base::printable(frame.file, 300)));
    out_.message(tag::kFunction, out);
    return found->second;
  }

  std::int64_t mapping_of(const std::string& module) {
    const auto [found, is_new] = mappings_.emplace(module, static_cast<std::int64_t>(mappings_.size() + 1));
    if (!is_new) return found->second;
    ProtobufWriter out;
    out.number(1, found->second);
    out.number(5, text_of(base::printable(module, 300)));
    out.number(7, 1);  // has_functions: pprof has no symbols to look up
    out_.message(tag::kMapping, out);
    return found->second;
  }

  ProtobufWriter out_;
  std::vector<std::string> strings_;
  std::map<std::string, std::int64_t> texts_;
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::string>, std::int64_t> locations_;
  std::map<std::pair<std::string, std::string>, std::int64_t> functions_;
  std::map<std::string, std::int64_t> mappings_;
  std::int64_t program_ = 0;  // the mapping of code that is in no library
};

// A name cannot contain the separators of the format.
std::string folded_name(const Frame& frame) {
  std::string out = function_of(frame);
  if (!frame.file.empty() && frame.function != frame.file) {
    out += " " + base::printable(frame.file.substr(frame.file.rfind('/') + 1), 100);
    if (frame.line > 0) out += fmt::format(":{}", frame.line);
  }
  std::replace(out.begin(), out.end(), ';', ':');
  return out;
}

}  // namespace

ProfileValue usual_value(const model::Profile& profile) {
  const bool grew = std::any_of(profile.samples.begin(), profile.samples.end(),
                                [](const ProfileSample& sample) { return sample.growth_bytes > 0; });
  return grew ? ProfileValue::Growth : ProfileValue::Live;
}

std::string to_pprof(const model::Profile& profile, ProfileValue value) {
  return Pprof().write(profile, value);
}

std::string to_folded(const model::Profile& profile, ProfileValue value) {
  std::map<std::string, std::int64_t> lines;  // two stacks may have the same text
  for (const ProfileSample& sample : profile.samples) {
    const std::int64_t bytes = value_of(sample, value);
    if (bytes <= 0) continue;
    std::string stack = fmt::format("pid {}", sample.pid);
    for (std::size_t at = sample.frames.size(); at > 0; --at)
      stack += ";" + folded_name(sample.frames[at - 1]);
    std::int64_t& sum = lines[stack];
    sum = sum > INT64_MAX - bytes ? INT64_MAX : sum + bytes;
  }
  std::string out;
  for (const auto& [stack, bytes] : lines) out += fmt::format("{} {}\n", stack, bytes);
  return out;
}

}  // namespace lowtide::show

#include "observe/agents/heap_profile.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
constexpr std::uint64_t kMostOfDevice = std::uint64_t{1} << 50U;  // sums cannot overflow
constexpr std::size_t kMostText = 400;
constexpr std::size_t kMostFrames = 256;  // of a stack

// Of profile.proto.
enum class ProfileField : std::uint32_t { SampleType = 1, Sample = 2, Location = 4, Function = 5, Text = 6 };

// A message of protobuf: fields with a number, and a number or bytes.
class Message {
 public:
  explicit Message(std::span<const std::byte> bytes) : rest_(bytes) {}

  struct Field {
    std::uint32_t number = 0;
    std::uint64_t value = 0;
    std::optional<std::span<const std::byte>> bytes = {};
  };

  // Nothing at the end, or where it makes no sense.
  std::optional<Field> next() {
    const auto head = varint();
    if (!head) return std::nullopt;
    Field out{.number = static_cast<std::uint32_t>(*head >> 3U)};
    switch (*head & 7U) {
      case 0: {
        const auto value = varint();
        if (!value) return std::nullopt;
        out.value = *value;
        return out;
      }
      case 2: {
        const auto length = varint();
        if (!length || *length > rest_.size()) return std::nullopt;
        out.bytes = rest_.first(*length);
        rest_ = rest_.subspan(*length);
        return out;
      }
      default:
        return std::nullopt;  // pprof has no others
    }
  }

  std::optional<std::uint64_t> varint() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint64_t>(rest_.front());
      rest_ = rest_.subspan(1);
      out |= (byte & 0x7fU) << shift;
      if (byte < 0x80) return out;
    }
    return std::nullopt;
  }

 private:
  std::span<const std::byte> rest_;
};

// Numbers of a repeated field: one by one, or packed.
template <typename Take>
void each_number(const Message::Field& field, Take take) {
  if (!field.bytes) return take(field.value);
  Message packed(*field.bytes);
  while (const auto value = packed.varint()) take(*value);
}

struct Function {
  std::uint64_t name = 0;
  std::uint64_t file = 0;
};

struct Location {  // inlined functions have several lines; Python has none
  std::uint64_t function = 0;
  std::uint64_t line = 0;
};

struct Label {
  std::uint64_t key = 0;
  std::uint64_t text = 0;
};

struct Sample {
  std::vector<std::uint64_t> locations = {};  // innermost first
  std::array<std::uint64_t, 2> values{};      // count, bytes
  std::vector<Label> labels = {};
};

Label read_label(std::span<const std::byte> bytes) {
  Message message(bytes);
  Label out;
  while (const auto field = message.next()) {
    if (field->number == 1) out.key = field->value;
    if (field->number == 2) out.text = field->value;
  }
  return out;
}

Sample read_sample(std::span<const std::byte> bytes) {
  Message message(bytes);
  Sample out;
  std::size_t values = 0;
  while (const auto field = message.next()) {
    if (field->number == 1)
      each_number(*field, [&](std::uint64_t id) {
        if (out.locations.size() < kMostFrames) out.locations.push_back(id);
      });
    if (field->number == 2)
      each_number(*field, [&](std::uint64_t value) {
        if (values < out.values.size()) out.values[values] = value;
        ++values;
      });
    if (field->number == 3 && field->bytes && out.labels.size() < 16)
      out.labels.push_back(read_label(*field->bytes));
  }
  return out;
}

// Sites of installed packages and of the standard library are not the user's.
bool is_of_user(std::string_view file) {
  if (file.starts_with("<string>") || file.starts_with("<stdin>") || file.starts_with("<ipython-input"))
    return true;
  constexpr std::array<std::string_view, 4> kInstalled{"/site-packages/", "/dist-packages/", "/lib/python3.",
                                                       "/lib64/python3."};
  return !file.empty() && file.front() != '<' &&
         std::none_of(kInstalled.begin(), kInstalled.end(),
                      [&](std::string_view folder) { return file.find(folder) != std::string_view::npos; });
}

class Profile {
 public:
  explicit Profile(std::span<const std::byte> bytes) {
    Message message(bytes);
    while (const auto field = message.next()) {
      if (!field->bytes) continue;
      switch (static_cast<ProfileField>(field->number)) {
        case ProfileField::Sample:
          samples_.push_back(read_sample(*field->bytes));
          break;
        case ProfileField::Location:
          add_location(*field->bytes);
          break;
        case ProfileField::Function:
          add_function(*field->bytes);
          break;
        case ProfileField::Text:
          texts_.emplace_back(reinterpret_cast<const char*>(field->bytes->data()), field->bytes->size());
          break;
        case ProfileField::SampleType:
          break;
      }
    }
  }

  [[nodiscard]] std::vector<ProfiledLine> lines() const {
    std::map<std::tuple<std::string_view, std::string_view, std::uint64_t, std::string_view>, ProfiledLine>
        out;
    for (const Sample& sample : samples_) {
      const auto& [count, bytes] = sample.values;
      if (bytes == 0 || bytes > kMostOfDevice || count > kMostOfDevice || label(sample, "kind") != "buffer")
        continue;
      const std::string_view device = label(sample, "device");
      const Location* const at = place_of(sample);
      const Function* const function = at == nullptr ? nullptr : function_of(*at);
      const std::string_view file = function == nullptr ? "" : text(function->file);
      const std::string_view name = function == nullptr ? "" : text(function->name);
      const std::uint64_t line = at == nullptr ? 0 : at->line;
      ProfiledLine& sum = out[{device, file, line, name}];
      if (sum.buffers == 0) {
        sum.device = base::printable(device, 40);
        sum.file = base::printable(file, kMostText);
        sum.function = base::printable(name, kMostText);
        sum.line = line;
      }
      sum.bytes = std::min(kMostOfDevice, sum.bytes + bytes);
      sum.buffers = std::min(kMostOfDevice, sum.buffers + std::max<std::uint64_t>(1, count));
    }
    std::vector<ProfiledLine> list;
    for (auto& [key, line] : out) list.push_back(std::move(line));
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return list;
  }

 private:
  void add_location(std::span<const std::byte> bytes) {
    Message message(bytes);
    std::uint64_t id = 0;
    Location out;
    while (const auto field = message.next()) {
      if (field->number == 1) id = field->value;
      if (field->number != 4 || !field->bytes) continue;
      Message line(*field->bytes);
      while (const auto part = line.next()) {
        if (part->number == 1) out.function = part->value;
        if (part->number == 2) out.line = part->value;
      }
    }
    locations_[id] = out;
  }

  void add_function(std::span<const std::byte> bytes) {
    Message message(bytes);
    std::uint64_t id = 0;
    Function out;
    while (const auto field = message.next()) {
      if (field->number == 1) id = field->value;
      if (field->number == 2) out.name = field->value;
      if (field->number == 4) out.file = field->value;
    }
    functions_[id] = out;
  }

  [[nodiscard]] std::string_view text(std::uint64_t at) const { return at < texts_.size() ? texts_[at] : ""; }

  [[nodiscard]] std::string_view label(const Sample& sample, std::string_view key) const {
    for (const Label& one : sample.labels) {
      if (text(one.key) == key) return text(one.text);
    }
    return {};
  }

  [[nodiscard]] const Function* function_of(const Location& location) const {
    const auto found = functions_.find(location.function);
    return found == functions_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] const Location* place_of(const Sample& sample) const {
    const Location* innermost = nullptr;
    for (const std::uint64_t id : sample.locations) {
      const auto found = locations_.find(id);
      if (found == locations_.end()) continue;
      const Function* const function = function_of(found->second);
      if (function == nullptr) continue;
      if (is_of_user(text(function->file))) return &found->second;
      if (innermost == nullptr) innermost = &found->second;
    }
    return innermost;
  }

  std::vector<Sample> samples_;
  std::unordered_map<std::uint64_t, Location> locations_;
  std::unordered_map<std::uint64_t, Function> functions_;
  std::vector<std::string_view> texts_;
};

}  // namespace

std::vector<ProfiledLine> read_heap_profile(std::span<const std::byte> profile) {
  return Profile(profile.first(std::min(profile.size(), kMostBytes))).lines();
}

void add_heap_profile(std::span<const std::byte> profile, model::Snapshot& into) {
  constexpr std::size_t kMostLines = 48;
  constexpr int kMostDevices = 64;
  into.gpu_blocks.allocator = model::kJaxAllocator;
  std::map<int, model::GpuLine> further;
  for (ProfiledLine& line : read_heap_profile(profile)) {
    const std::size_t colon = line.device.find(':');
    if (line.device.starts_with("cpu") || colon == std::string::npos) continue;
    int device = 0;
    const char* const end = line.device.data() + line.device.size();
    const auto parsed = std::from_chars(line.device.data() + colon + 1, end, device);
    if (parsed.ec != std::errc() || device < 0 || device >= kMostDevices) continue;
    if (into.gpu_lines.size() >= kMostLines) {
      model::GpuLine& rest = further[device];
      rest.device = device;
      rest.kind = model::GpuLineKind::FurtherLines;
      rest.bytes += line.bytes;
      rest.blocks += line.buffers;
      continue;
    }
    into.gpu_lines.push_back(
        {.device = device,
         .kind = line.file.empty() ? model::GpuLineKind::WithoutStack : model::GpuLineKind::Line,
         .file = std::move(line.file),
         .line = line.line,
         .function = std::move(line.function),
         .bytes = line.bytes,
         .blocks = line.buffers});
  }
  for (auto& [device, line] : further) into.gpu_lines.push_back(std::move(line));
}

}  // namespace lowtide::observe

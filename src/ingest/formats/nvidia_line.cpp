#include "ingest/formats/analysers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "ingest/formats/fields.h"
#include "ingest/formats/formats.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

using base::kMiB;
using model::Quantity;

// "GPU-5d4a7a0c-..." or "00000000:3B:00.0": identifies a GPU.
bool is_device_id(std::string_view field) {
  if (field.starts_with("GPU-") && field.size() >= 16) return true;
  return field.size() >= 10 && field.size() <= 16 && field[field.size() - 2] == '.' &&
         std::count(field.begin(), field.end(), ':') == 2 && field.find(' ') == std::string_view::npos;
}

// A row of nvidia-smi without its header, field by field.
struct BareRow {
  std::vector<Slot> sizes;
  std::optional<Slot> gpu;
  std::optional<Slot> pid;
  std::optional<Slot> device;
  std::optional<Slot> model;
  std::size_t fields = 0;

  // False = a sentence, not a row.
  bool take(std::string_view shape, Field place, bool has_time) {
    const std::string_view field = text_of(shape, place);
    const bool first = fields++ == 0;
    if (first && has_time) return true;
    const NumberText number = scan_number(field);
    Slot slot;
    slot.offset = static_cast<std::uint32_t>(place.begin);
    slot.length = static_cast<std::uint32_t>(number.length);
    slot.form = number.form;
    const bool whole = number.length > 0 && number.length == field.size();
    if (number.length > 0 && field.substr(number.length) == " MiB") {
      slot.scale = kMiB;
      slot.role = Role::Memory;
      sizes.push_back(slot);
    } else if (whole && number.length <= 2 && !gpu) {
      slot.role = Role::Gpu;
      gpu = slot;
    } else if (whole && first && number.form == NumberForm::Digits) {  // --query-compute-apps=pid,...
      slot.role = Role::Pid;
      pid = slot;
    } else if (is_device_id(field) || (!model && sizes.empty() && field.size() > 3 && is_letter(field[0]))) {
      slot.length = static_cast<std::uint32_t>(std::min<std::size_t>(field.size(), 80));
      const bool names_one = is_device_id(field) || pid.has_value();
      slot.role = names_one ? Role::Name : Role::GpuName;
      (names_one ? device : model) = slot;
    }
    return field.find(": ") == std::string_view::npos;
  }
};

}  // namespace

bool analyse_nvidia_table(const Line& line, ShapePlan& plan) {
  const std::string_view shape = line.shape;
  const std::size_t start = shape.find_first_not_of(" \t");
  if (start == std::string_view::npos || shape[start] != '|') return false;
  const std::vector<Field> fields = cut(shape, ' ', 24);
  if (fields.size() < 4) return false;
  // "|   0  NVIDIA A100-SXM4-40GB      On   | 00000000:3B:00.0 Off |": the index of the lines below.
  const std::string_view name = text_of(shape, fields[2]);
  Slot slot;
  if (number_in(shape, fields[1], 1.0, slot) && slot.form == NumberForm::Digits &&
      (name == "NVIDIA" || name == "Tesla" || name == "GeForce" || name == "Quadro" || name == "A000")) {
    slot.role = Role::Gpu;
    plan.slots.push_back(slot);
    plan.format = NvidiaTableFormat;
    return true;
  }
  const std::size_t pair = shape.find("0MiB / ");
  if (pair != std::string_view::npos) {
    for (std::size_t i = 0; i + 2 < fields.size(); ++i) {
      Slot used;
      Slot total;
      if (text_of(shape, fields[i + 1]) != "/" || !number_in(shape, fields[i], 0, used) ||
          !number_in(shape, fields[i + 2], 0, total) || used.scale != kMiB || total.scale != kMiB) {
        continue;
      }
      used.role = Role::Memory;
      total.role = Role::Limit;
      used.topic = total.topic = line.registry.topic({Quantity::GpuUsed, "", UnitSource::Written});
      plan.slots.push_back(used);
      plan.slots.push_back(total);
      plan.format = NvidiaTableFormat;
      return true;
    }
  }
  // "|    0   N/A  N/A   2069192      C   python                77002MiB |"
  if (shape.find("0MiB |") == std::string_view::npos) return false;
  const auto kind = std::find_if(fields.begin(), fields.end(), [&](const Field& field) {
    const std::string_view text = text_of(shape, field);
    return text == "C" || text == "G" || text == "C+G";
  });
  if (kind == fields.end() || kind == fields.begin() || fields.size() < 6) return false;
  Slot gpu;
  Slot pid;
  Slot used;
  if (!number_in(shape, fields[1], 1.0, gpu) || !number_in(shape, *(kind - 1), 1.0, pid) ||
      !number_in(shape, fields[fields.size() - 2], 0, used) || used.scale == 0) {
    return false;
  }
  gpu.role = Role::Gpu;
  pid.role = Role::Pid;
  used.role = Role::Memory;
  used.topic = line.registry.topic({Quantity::GpuUsed, "process", UnitSource::Written});
  plan.slots.insert(plan.slots.end(), {gpu, pid, used});
  plan.format = NvidiaTableFormat;
  return true;
}

bool analyse_nvidia_bare(const Line& line, ShapePlan& plan) {
  // --format=csv,noheader: "2024/06/01 11:27:05.177, NVIDIA A100-SXM4-40GB, 40960 MiB, 4 MiB"
  const std::string_view shape = line.shape;
  if (line.context.layout || shape.find("0 MiB") == std::string_view::npos) return false;
  BareRow row;
  std::size_t begin = 0;
  while (begin <= shape.size()) {
    const std::size_t comma = std::min(shape.find(", ", begin), shape.size());
    if (row.fields == 0) plan.time = find_time(shape, begin);
    if (!row.take(shape, {begin, comma}, plan.time.has_value())) return false;
    begin = comma + 2;
  }
  if (row.sizes.empty() || row.sizes.size() > 3) return false;
  for (const std::optional<Slot>& slot : {row.gpu, row.pid, row.device, row.model}) {
    if (slot) plan.slots.push_back(*slot);
  }
  // Which of several it is, no header says: the assembler looks at the numbers
  // (the total is the largest and never moves), and warns that it did.
  for (std::size_t i = 0; i < row.sizes.size(); ++i) {
    Slot& size = row.sizes[i];
    const std::string label = row.sizes.size() == 1 ? "" : "column " + std::to_string(i + 1);
    size.topic = line.registry.topic({Quantity::GpuUsed, label, UnitSource::Written});
    plan.slots.push_back(size);
  }
  plan.format = NvidiaBareFormat;
  return true;
}

bool analyse_memory_summary(const Line& line, ShapePlan& plan) {
  const std::string_view shape = line.shape;
  if (!shape.starts_with("|")) return false;
  plan.format = SummaryFormat;
  const std::size_t device = shape.find("memory summary, device ID ");
  if (device != std::string_view::npos) {
    const std::size_t begin = device + 26;
    Slot slot;
    if (!number_in(shape, {begin, std::min(shape.find(' ', begin), shape.size())}, 1.0, slot)) return false;
    slot.role = Role::Gpu;
    plan.slots.push_back(slot);
    return true;
  }
  if (shape.find(" Cur Usage ") != std::string_view::npos) return true;  // its header says no more
  const std::size_t bar = shape.find('|', 1);
  if (bar == std::string_view::npos) return false;
  const std::string_view name = text_of(shape, trimmed(shape, {1, bar}));
  // Pools, active and requested bytes, counts: parts of the two totals, or no bytes at all.
  constexpr std::array<std::string_view, 11> kParts = {
      "from large pool",       "from small pool",      "Active memory",         "Requested memory",
      "Allocations",           "Active allocs",        "GPU reserved segments", "Non-releasable memory",
      "Non-releasable allocs", "Oversize allocations", "Oversize GPU segments"};
  if (std::find(kParts.begin(), kParts.end(), name) != kParts.end()) return true;
  const bool allocated = name == "Allocated memory";
  if (!allocated && name != "GPU reserved memory" && name != "Reserved memory") return false;
  const std::vector<Field> fields = cut(shape.substr(bar + 1), ' ', 3);
  if (fields.size() < 3) return false;
  const double scale = size_unit(text_of(shape.substr(bar + 1), fields[1]));
  Slot slot;
  if (scale == 0 || !number_in(shape, {fields[0].begin + bar + 1, fields[0].end + bar + 1}, scale, slot))
    return false;
  slot.role = Role::Memory;
  slot.topic = line.registry.topic(
      {allocated ? Quantity::GpuAllocated : Quantity::GpuReserved, "", UnitSource::Written});
  plan.slots.push_back(slot);
  return true;
}

}  // namespace lowtide::ingest

#include "ingest/nvidia_line.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "ingest/fields.h"
#include "ingest/formats.h"
#include "ingest/words.h"

namespace lowtide::ingest {
namespace {

using model::Quantity;

constexpr double kMiB = 1024.0 * 1024.0;

}  // namespace

bool analyse_nvidia_table(const Line& line, Plan& plan) {
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

bool analyse_nvidia_bare(const Line& line, Plan& plan) {
  // --format=csv,noheader: "2024/06/01 11:27:05.177, NVIDIA A100-SXM4-40GB, 40960 MiB, 4 MiB"
  const std::string_view shape = line.shape;
  if (line.context.layout || shape.find("0 MiB") == std::string_view::npos) return false;
  if (shape.find(", ") == std::string_view::npos) return false;
  std::vector<Slot> sizes;
  std::optional<Slot> gpu;
  std::size_t begin = 0;
  std::size_t fields = 0;
  while (begin <= shape.size()) {
    const std::size_t comma = std::min(shape.find(", ", begin), shape.size());
    const std::string_view field = shape.substr(begin, comma - begin);
    ++fields;
    if (fields == 1) plan.time = find_time(shape, begin);
    const NumberText number = scan_number(field);
    Slot slot;
    slot.offset = static_cast<std::uint32_t>(begin);
    slot.length = static_cast<std::uint32_t>(number.length);
    slot.form = number.form;
    if (number.length > 0 && field.substr(number.length) == " MiB") {
      slot.scale = kMiB;
      sizes.push_back(slot);
    } else if (number.length > 0 && number.length <= 2 && number.length == field.size() && !gpu) {
      gpu = slot;
    } else if (field.find(": ") != std::string_view::npos) {
      return false;  // a sentence, not a row
    }
    begin = comma + 2;
  }
  if (sizes.empty() || sizes.size() > 3 || fields < 2) return false;
  if (gpu) {
    gpu->role = Role::Gpu;
    plan.slots.push_back(*gpu);
  }
  // Which of several it is, no header says: the assembler looks at the numbers
  // (the total is the largest and never moves), and warns that it did.
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i].role = Role::Memory;
    const std::string label = sizes.size() == 1 ? "" : "column " + std::to_string(i + 1);
    sizes[i].topic = line.registry.topic({Quantity::GpuUsed, label, UnitSource::Written});
    plan.slots.push_back(sizes[i]);
  }
  plan.format = NvidiaBareFormat;
  return true;
}

bool analyse_memory_summary(const Line& line, Plan& plan) {
  const std::string_view shape = line.shape;
  const bool allocated = shape.starts_with("| Allocated memory ");
  const bool reserved = shape.starts_with("| GPU reserved memory ");
  if (!allocated && !reserved) return false;
  const std::size_t bar = shape.find('|', 2);
  if (bar == std::string_view::npos) return false;
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
  plan.format = SummaryFormat;
  return true;
}

}  // namespace lowtide::ingest

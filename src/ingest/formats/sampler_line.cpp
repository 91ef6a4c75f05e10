#include "ingest/formats/analysers.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/units.h"
#include "ingest/formats/fields.h"
#include "ingest/formats/formats.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

using base::kKiB;
using base::kMiB;
using model::Quantity;

Context with_free_scale(const Line& line, double scale) {
  Context context = line.context;
  context.free_scale = scale;
  return context;
}

// `free -m`, `free -g -s 1`, `free -hs 2` in a prompt or a title.
double free_option(std::string_view text) {
  const std::size_t at = text.find("free -");
  if (at == std::string_view::npos || (at > 0 && (is_letter(text[at - 1]) || text[at - 1] == '_'))) return 0;
  for (std::size_t i = at + 5; i + 1 < text.size() && text[i] == '-';) {
    for (++i; i < text.size() && is_letter(text[i]); ++i) {
      switch (text[i]) {
        case 'b':
          return 1.0;
        case 'k':
          return kKiB;
        case 'm':
          return kMiB;
        case 'g':
          return kMiB * kKiB;
        default:
          break;
      }
    }
    while (i < text.size() && (is_blank(text[i]) || is_digit(text[i]) || text[i] == '.')) ++i;
  }
  return 0;
}

void remember_free_option(const Line& line, ShapePlan& plan) {
  const double scale = free_option(line.shape);
  if (scale == 0 || scale == line.context.free_scale) return;
  const Context context = with_free_scale(line, scale);
  plan.next_context = line.registry.context(
      context, "free option " + std::to_string(scale) + " " + std::to_string(line.context_number));
}

Slot mark(Role role) {
  Slot slot;
  slot.role = role;
  return slot;
}

}  // namespace

bool analyse_watch(const Line& line, ShapePlan& plan) {
  const std::string_view shape = line.shape;
  const std::size_t start = std::min(shape.find_first_not_of(" \t"), shape.size());
  const std::string_view body = shape.substr(start);
  if (body.starts_with("Every ") && body.find("s: ") != std::string_view::npos) {
    remember_free_option(line, plan);
    // The date stands at the right edge, after the host's name.
    const std::size_t from = shape.rfind(": ");
    for (std::size_t at = from; at != std::string_view::npos && at < shape.size(); ++at) {
      plan.time = find_time(shape, at);
      if (plan.time) break;
    }
    plan.format = WatchFormat;
    return true;
  }
  if (body.starts_with("top - ")) {
    plan.time = find_time(shape, start + 6);
    plan.format = TopFormat;
    return plan.time.has_value();
  }
  if (body.find("free -") != std::string_view::npos) {
    remember_free_option(line, plan);
    return plan.next_context.has_value();
  }
  if (body.size() > 64) return false;
  // The output of `date` between samples: it belongs to what follows.
  const auto time = find_time(shape, start);
  if (time && shape.find_first_not_of(" \t", time->end) == std::string_view::npos) {
    plan.time = time;
    return true;
  }
  return false;
}

bool analyse_mprof(const Line& line, ShapePlan& plan) {
  const std::string_view shape = line.shape;
  if (shape.starts_with("CMDLINE ")) {
    plan.slots.push_back(mark(Role::RunMark));
    plan.format = MprofFormat;
    plan.ask_each_time = true;
    return true;
  }
  const bool child = shape.starts_with("CHLD ");
  if (!child && !shape.starts_with("MEM ")) return false;
  const std::vector<Field> fields = cut(shape, ' ', 5);
  if (fields.size() != (child ? 4U : 3U)) return false;
  Slot memory;
  Slot time;
  if (!number_in(shape, fields[child ? 2 : 1], kMiB, memory)) return false;
  if (!number_in(shape, fields[child ? 3 : 2], 1.0, time)) return false;
  memory.role = Role::Memory;
  time.role = Role::Seconds;
  // memory_profiler divides by 2^20 and says "MiB" in its plots.
  memory.topic = line.registry.topic({Quantity::ProcessMemory, child ? "child" : "", UnitSource::Convention});
  plan.slots.push_back(time);
  if (child) {
    Slot pid;
    if (!number_in(shape, fields[1], 1.0, pid)) return false;
    pid.role = Role::Pid;
    plan.slots.push_back(pid);
  }
  plan.slots.push_back(memory);
  plan.format = MprofFormat;
  return true;
}

bool analyse_free(const Line& line, ShapePlan& plan) {
  const std::string_view shape = line.shape;
  const std::vector<Field> fields = cut(shape, ' ', 9);
  if (fields.size() < 3) return false;
  const std::string_view first = text_of(shape, fields[0]);
  // Old procps counts the page cache as used and prints the rest in a separate line.
  if (first == "total" && text_of(shape, fields.back()) == "cached") {
    if (line.context.old_free) return true;
    Context context = line.context;
    context.old_free = true;
    plan.next_context = line.registry.context(context, "old free " + std::to_string(line.context_number));
    plan.format = FreeFormat;
    return true;
  }
  const bool corrected = first == "-/+" && text_of(shape, fields[1]) == "buffers/cache:";
  if (first != "Mem:" && !corrected) return false;
  const double told = line.context.free_scale;
  const std::uint16_t topic =
      line.registry.topic({Quantity::SystemMemory, "", told > 0 ? UnitSource::Written : UnitSource::Free});
  const std::uint16_t written = line.registry.topic({Quantity::SystemMemory, "", UnitSource::Written});
  const auto take = [&](const Field& field, Role role) {
    Slot slot;
    if (!number_in(shape, field, told, slot)) return false;
    slot.role = role;
    const bool has_unit = slot.length != field.end - field.begin;
    slot.topic = has_unit ? written : topic;
    plan.slots.push_back(slot);
    return true;
  };
  plan.format = FreeFormat;
  if (corrected) return take(fields[2], Role::Memory);
  if (!take(fields[1], Role::Limit)) return false;
  return line.context.old_free || take(fields[2], Role::Memory);
}

bool analyse_top_summary(const Line& line, ShapePlan& plan) {
  // "MiB Mem :  24065.0 total,  20876.0 free,   1640.0 used,   1837.0 buff/cache"
  const std::string_view shape = line.shape;
  const std::vector<Field> fields = cut(shape, ' ', 12);
  if (fields.size() < 8) return false;
  double scale = size_unit(text_of(shape, fields[0]));
  std::size_t first = 1;
  const bool old =
      text_of(shape, fields[0]) == "Mem:";  // procps 3.2: "Mem:  8174340k total,  7654321k used,"
  if (old) {
    scale = 1;
    first = 0;
  }
  if (scale == 0 || (!old && text_of(shape, fields[1]) != "Mem")) return false;
  const std::uint16_t topic = line.registry.topic({Quantity::SystemMemory, "", UnitSource::Written});
  bool memory = false;
  for (std::size_t i = first; i + 1 < fields.size(); ++i) {
    const std::string_view word = text_of(shape, fields[i + 1]);
    const bool used = word.starts_with("used");
    if (!used && !word.starts_with("total")) continue;
    Slot slot;
    if (!number_in(shape, fields[i], scale, slot)) continue;
    slot.role = used ? Role::Memory : Role::Limit;
    slot.topic = topic;
    plan.slots.push_back(slot);
    memory = memory || used;
  }
  plan.format = TopFormat;
  return memory;
}

bool analyse_time(const Line& line, ShapePlan& plan) {
  const std::size_t at = line.shape.find("Maximum resident set size (kbytes): ");
  if (at == std::string_view::npos) return false;
  const std::size_t begin = at + 36;
  const NumberText number = scan_number(line.shape.substr(begin));
  if (number.length == 0) return false;
  Slot slot = mark(Role::Peak);
  slot.offset = static_cast<std::uint32_t>(begin);
  slot.length = static_cast<std::uint32_t>(number.length);
  slot.form = number.form;
  slot.scale = kKiB;
  plan.slots.push_back(slot);
  plan.format = TimeFormat;
  return true;
}

bool analyse_headless_ps(const Line& line, ShapePlan& plan) {
  // `ps aux` without its header: user pid %cpu %mem vsz rss tty stat start time command
  const std::string_view shape = line.shape;
  if (line.context.layout) return false;
  const std::vector<Field> fields = cut(shape, ' ', 12);
  if (fields.size() < 11) return false;
  Slot pid;
  Slot cpu;
  Slot share;
  Slot virtual_size;
  Slot resident;
  if (!is_letter(shape[fields[0].begin]) || !number_in(shape, fields[1], 1.0, pid) ||
      !number_in(shape, fields[2], 1.0, cpu) || !number_in(shape, fields[3], 1.0, share) ||
      !number_in(shape, fields[4], 1.0, virtual_size) || !number_in(shape, fields[5], kKiB, resident)) {
    return false;
  }
  const std::string_view terminal = text_of(shape, fields[6]);
  const bool has_terminal = terminal == "?" || terminal.starts_with("pts/") || terminal.starts_with("tty");
  if (!has_terminal || share.form != NumberForm::Decimal || resident.form != NumberForm::Digits) return false;
  pid.role = Role::Pid;
  resident.role = Role::Memory;
  resident.topic = line.registry.topic({Quantity::ProcessMemory, "", UnitSource::Convention});
  Slot name = mark(Role::Name);
  name.offset = static_cast<std::uint32_t>(fields[10].begin);
  name.length = static_cast<std::uint32_t>(std::min<std::size_t>(shape.size() - fields[10].begin, 80));
  plan.slots.insert(plan.slots.end(), {pid, name, resident});
  plan.format = PsFormat;
  return true;
}

bool analyse_headless_pidstat(const Line& line, ShapePlan& plan) {
  // "00:43:34  0  2503  0.00  0.00  5100  3876  0.02  bash"; a 12-hour clock has AM or PM behind it.
  const std::string_view shape = line.shape;
  if (line.context.layout) return false;
  std::vector<Field> fields = cut(shape, ' ', 11);
  if (fields.size() > 1 && (text_of(shape, fields[1]) == "AM" || text_of(shape, fields[1]) == "PM"))
    fields.erase(fields.begin() + 1);
  if (fields.size() < 9) return false;
  std::array<Slot, 7> numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    // uid, pid, minflt/s, majflt/s, VSZ, RSS, %MEM: no other report of pidstat has points in these places.
    const bool point = i == 2 || i == 3 || i == 6;
    if (!number_in(shape, fields[i + 1], 1.0, numbers[i]) ||
        numbers[i].form != (point ? NumberForm::Decimal : NumberForm::Digits)) {
      return false;
    }
  }
  plan.time = find_time(shape, fields[0].begin);
  if (!plan.time || !is_letter(shape[fields[8].begin])) return false;
  Slot& resident = numbers[5];
  numbers[1].role = Role::Pid;
  resident.role = Role::Memory;
  resident.scale = kKiB;
  resident.topic = line.registry.topic({Quantity::ProcessMemory, "", UnitSource::Convention});
  Slot name = mark(Role::Name);
  name.offset = static_cast<std::uint32_t>(fields[8].begin);
  name.length = static_cast<std::uint32_t>(std::min<std::size_t>(shape.size() - fields[8].begin, 80));
  plan.slots.insert(plan.slots.end(), {numbers[1], name, resident});
  plan.format = BarePidstatFormat;
  return true;
}

bool analyse_bare_pair(const Line& line, ShapePlan& plan) {
  // "12.5 5552", "10 5552", "1794703397 5000000000": what loops with echo and awk leave. Nothing says which
  // column is what, so the assembler warns of what it takes them for.
  if (line.context.layout) return false;
  const std::vector<Field> fields = cut(line.shape, ' ', 3);
  if (fields.size() != 2) return false;
  Slot place;
  Slot memory;
  const auto is_number = [&](const Field& field, Slot& slot) {
    return number_in(line.shape, field, 0.0, slot) && slot.length == field.end - field.begin &&
           (slot.form == NumberForm::Digits || slot.form == NumberForm::Decimal);
  };
  const auto time = find_time(line.shape, fields[0].begin);
  const bool timed = time && time->end == fields[0].end;
  if (!timed && !is_number(fields[0], place)) return false;
  if (!is_number(fields[1], memory)) return false;
  const std::size_t whole_digits =
      std::min(text_of(line.shape, fields[1]).find('.'), fields[1].end - fields[1].begin);
  if (whole_digits < 3) return false;  // GB, a loss, a rate: no guess
  if (timed) {
    plan.time = time;
  } else {
    const bool seconds = place.form == NumberForm::Decimal || place.length >= 10;
    place.role = seconds ? Role::Seconds : Role::Step;
    place.scale = 1.0;
    plan.slots.push_back(place);
  }
  memory.role = Role::Memory;
  memory.topic = line.registry.topic({Quantity::ProcessMemory, "second column", UnitSource::Magnitude});
  plan.slots.push_back(memory);
  plan.format = BarePairFormat;
  return true;
}

bool analyse_bare_number(const Line& line, ShapePlan& plan) {
  // A loop over `ps -o rss= -p PID`: one whole number a line, in KiB.
  if (line.context.layout) return false;
  const std::vector<Field> fields = cut(line.shape, ' ', 2);
  if (fields.size() != 1) return false;
  Slot slot;
  const Field& field = fields[0];
  const NumberText number = scan_number(text_of(line.shape, field));
  if (number.length < 4 || number.length != field.end - field.begin || number.form != NumberForm::Digits)
    return false;
  slot.offset = static_cast<std::uint32_t>(field.begin);
  slot.length = static_cast<std::uint32_t>(number.length);
  slot.role = Role::Memory;
  slot.scale = 0;
  slot.topic = line.registry.topic({Quantity::ProcessMemory, "bare numbers", UnitSource::Magnitude});
  plan.slots.push_back(slot);
  plan.format = BareNumbersFormat;
  return true;
}

}  // namespace lowtide::ingest

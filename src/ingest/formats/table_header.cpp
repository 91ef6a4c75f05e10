// Tables: one header, then rows. The header says what each column is, by the
// same vocabulary that reads phrases.

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "ingest/formats/analysers.h"
#include "ingest/formats/fields.h"
#include "ingest/formats/formats.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

using model::Quantity;

constexpr std::size_t kMaxColumns = 256;

// "rss 5024 MB": a number with its unit beside it is a reading, not the name of a column.
bool holds_a_size(std::string_view field) {
  for (std::size_t at = 1; at + 1 < field.size(); ++at) {
    if (field[at] != ' ' || field[at - 1] < '0' || field[at - 1] > '9') continue;
    if (base::bytes_per_unit(field.substr(at + 1, field.find(' ', at + 1) - at - 1)) > 0) return true;
  }
  return false;
}

// "step 12", "loss 0.25": a word and its value.
bool ends_in_a_number(std::string_view field) {
  const std::size_t blank = field.rfind(' ');
  return blank != std::string_view::npos && blank + 1 < field.size() &&
         field.find_first_not_of("0123456789.,eE+-", blank + 1) == std::string_view::npos;
}

bool looks_like_name(std::string_view field) {
  if (holds_a_size(field)) return false;
  if (field.empty() || field.size() > 48) return false;
  if (!is_letter(field[0]) && field[0] != '_' && field[0] != '%' && field[0] != '#') return false;
  return std::count(field.begin(), field.end(), ' ') <= 4 && field.find(": ") == std::string_view::npos &&
         field.find('=') == std::string_view::npos;
}

struct HeaderColumn {
  Column column;
  Meaning meaning;
  std::string name;
};

// Digits stay: "rss_0" and "rss_1" are two columns.
std::string column_label(std::string_view name) {
  return base::printable(name, 48);
}

Column column_of(const HeaderColumn& from, Registry& registry, UnitSource when_unknown, double convention) {
  Column column = from.column;
  column.role = from.meaning.role;
  column.scale = from.meaning.scale;
  if (column.role == Role::Seconds) {
    if (column.scale == 0) column.scale = 1;
    return column;
  }
  if (column.role == Role::Peak) column.role = Role::None;
  if (column.role != Role::Memory && column.role != Role::Limit) return column;
  if (column.scale == 0) {
    column.unit = when_unknown;
    column.scale = convention;
  }
  const int gpu = gpu_in_name(from.name);
  column.topic = registry.topic({from.meaning.quantity, column_label(from.name), column.unit, gpu});
  column.written_topic =
      registry.topic({from.meaning.quantity, column_label(from.name), UnitSource::Written, gpu});
  return column;
}

// Of several columns that say the same the strongest speaks: rss over uss over "memory".
// The exact words of one process or rank ("worker_rss") make it a series of its own.
void drop_weaker(std::vector<HeaderColumn>& columns) {
  for (HeaderColumn& mine : columns) {
    const Role role = mine.meaning.role;
    if (role == Role::None || role == Role::Name) continue;
    const bool has_digit = std::any_of(mine.name.begin(), mine.name.end(), is_digit);
    for (const HeaderColumn& other : columns) {
      if (&other == &mine || other.meaning.role != role) continue;
      if (role == Role::Memory || role == Role::Limit) {
        if (other.meaning.quantity != mine.meaning.quantity || other.meaning.rest != mine.meaning.rest)
          continue;
        if (has_digit && other.meaning.rank == mine.meaning.rank) continue;  // "rss_0", "rss_1"
      }
      const bool stronger = other.meaning.rank > mine.meaning.rank ||
                            (other.meaning.rank == mine.meaning.rank && &other < &mine);
      if (stronger && !(role == Role::Seconds)) mine.meaning.role = Role::None;
      if (stronger && role == Role::Seconds && &other < &mine) mine.meaning.role = Role::None;
    }
  }
}

// nvidia-smi --query-gpu and --query-compute-apps: its names are documented, so no guess is needed.
void name_nvidia_columns(std::vector<HeaderColumn>& columns) {
  const auto has = [&](std::string_view name) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const HeaderColumn& column) { return column.name == name; });
  };
  const bool identified = has("index") || has("pid");
  for (HeaderColumn& column : columns) {
    Meaning& meaning = column.meaning;
    // "name" is the process in --query-compute-apps, and the model in --query-gpu.
    if (column.name == "gpu_name" || (column.name == "name" && !has("pid"))) meaning.role = Role::GpuName;
    if (meaning.role == Role::Memory || meaning.role == Role::Limit) {
      meaning.quantity = Quantity::GpuUsed;
      if (meaning.scale == 0) meaning.scale = 1024.0 * 1024.0;
    }
    if (column.name == "index") meaning.role = Role::Gpu;
    // One line per GPU and tick: without an index the UUID or the bus identifies it.
    if (column.name.find("uuid") != std::string::npos || column.name.starts_with("pci.bus")) {
      meaning.role = identified ? Role::None : Role::Name;
      meaning.rank = 5;
    }
  }
}

std::optional<Layout> delimited_layout(const Line& line, char delimiter) {
  const std::vector<Field> fields = cut(line.text, delimiter, kMaxColumns);
  if (fields.size() < 2) return std::nullopt;
  std::vector<HeaderColumn> columns;
  bool nvidia = false;
  std::size_t named = 0;
  std::size_t valued = 0;
  for (const Field& field : fields) {
    HeaderColumn column;
    column.name = std::string(text_of(line.text, field));
    if (!column.name.empty() && column.name[0] == '#') column.name.erase(0, 1);
    const bool name = looks_like_name(column.name);
    if (!name && !column.name.empty()) return std::nullopt;
    named += name ? 1 : 0;
    valued += ends_in_a_number(column.name) ? 1U : 0U;
    column.meaning = meaning_of(column.name);
    nvidia = nvidia || column.name.starts_with("memory.used") || column.name.starts_with("used_gpu_memory") ||
             column.name.starts_with("used_memory");
    columns.push_back(std::move(column));
  }
  if (named * 2 < fields.size() || valued * 2 > fields.size()) return std::nullopt;
  if (nvidia) name_nvidia_columns(columns);
  drop_weaker(columns);
  bool memory = false;
  Layout layout;
  layout.delimiter = delimiter;
  layout.decimal_comma = delimiter == ';';
  layout.format = nvidia ? NvidiaFormat : CsvFormat;
  for (HeaderColumn& column : columns) {
    memory = memory || column.meaning.role == Role::Memory;
    if (nvidia) column.name.clear();  // "GPU 0 used" says it all
    layout.columns.push_back(column_of(column, line.registry, UnitSource::Magnitude, 0));
  }
  if (!memory) return std::nullopt;
  return layout;
}

// One column and nothing else: "rss_mb", then a number a line.
std::optional<Layout> single_column(const Line& line) {
  const Field field = trimmed(line.text, {0, line.text.size()});
  const std::string_view name = text_of(line.text, field);
  if (!looks_like_name(name) || name.find(' ') != std::string_view::npos) return std::nullopt;
  HeaderColumn column;
  column.name = std::string(name);
  column.meaning = meaning_of(name);
  if (column.meaning.role != Role::Memory || !column.meaning.says_memory || !column.meaning.rest.empty()) {
    return std::nullopt;
  }
  Layout layout;
  layout.format = CsvFormat;
  // `ps -o rss` prints RSS alone, and ps counts in KiB.
  const bool ps = name == "RSS" || name == "RES";
  layout.columns.push_back(column_of(column, line.registry,
                                     ps ? UnitSource::Convention : UnitSource::Magnitude, ps ? 1024.0 : 0.0));
  layout.delimiter = ps ? ' ' : ',';
  if (ps) layout.format = PsFormat;
  return layout;
}

bool is_upper_name(std::string_view field) {
  return std::none_of(field.begin(), field.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// ps, top, pidstat: words in one row, RSS or RES among them. KiB, as their manuals say.
std::optional<Layout> process_layout(const Line& line) {
  const std::vector<Field> fields = cut(line.text, ' ', kMaxColumns);
  if (fields.size() < 2) return std::nullopt;
  std::size_t resident = 0;
  std::size_t capitals = 0;
  bool pidstat = false;
  for (const Field& field : fields) {
    const std::string_view name = text_of(line.text, field);
    if (name == "RSS" || name == "RES" || name == "RSZ") ++resident;
    if (is_upper_name(name)) ++capitals;
    if (name == "minflt/s") pidstat = true;
  }
  if (resident != 1 || capitals * 2 < fields.size()) return std::nullopt;
  Layout layout;
  layout.delimiter = ' ';
  layout.format = PsFormat;
  layout.last_takes_rest = true;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view name = text_of(line.text, fields[i]);
    Column column;
    if (name == "RSS" || name == "RES" || name == "RSZ") {
      column.role = Role::Memory;
      column.scale = 1024.0;
      column.unit = UnitSource::Convention;
      column.topic = line.registry.topic({Quantity::ProcessMemory, "", UnitSource::Convention});
      if (name == "RES") layout.format = TopFormat;
    } else if (name == "PID") {
      column.role = Role::Pid;
    } else if (name == "COMMAND" || name == "CMD" || name == "Command" || name == "COMM" || name == "ARGS") {
      column.role = Role::Name;
    } else if (find_time(line.shape, fields[i].begin)) {
      column.role = Role::Clock;  // pidstat prints the time in the place of the first name
    } else if (!looks_like_name(name)) {
      return std::nullopt;
    }
    if ((name == "AM" || name == "PM") && i > 0) column.role = Role::None;
    layout.columns.push_back(column);
  }
  if (pidstat) layout.format = PidstatFormat;
  return layout;
}

// Names that hold blanks, so that only wide gaps part them: psrecord, docker stats, dmon.
std::optional<Layout> wide_layout(const Line& line) {
  std::string_view text = line.text;
  const std::size_t lead = text.find_first_not_of(" \t");
  if (lead == std::string_view::npos) return std::nullopt;
  const bool hash = text[lead] == '#';
  const bool docker = text.find("MEM USAGE / LIMIT") != std::string_view::npos;
  if (!hash && !docker) return std::nullopt;
  Layout layout;
  if (hash && contains_ignoring_case(text, " fb ") && contains_ignoring_case(text, "gpu")) {
    layout.delimiter = ' ';
    layout.format = DmonFormat;
    std::string body(text);
    body[lead] = ' ';
    for (const Field& field : cut(body, ' ', kMaxColumns)) {
      const std::string_view name = text_of(body, field);
      Column column;
      if (name == "gpu") column.role = Role::Gpu;
      if (name == "pid") column.role = Role::Pid;
      if (name == "Date") column.role = Role::Date;
      if (name == "Time") column.role = Role::Clock;
      if (name == "fb") {
        column.role = Role::Memory;
        column.scale = 1e6;  // its second header line says MB
        column.topic = line.registry.topic({Quantity::GpuUsed, "", UnitSource::Written});
      }
      layout.columns.push_back(column);
    }
    return layout;
  }
  layout.delimiter = docker ? 'G' : ' ';
  layout.format = docker ? DockerFormat : PsrecordFormat;
  std::string body(text);
  if (hash) body[lead] = ' ';
  bool memory = false;
  std::vector<HeaderColumn> columns;
  for (const Field& field : cut(body, 'G', kMaxColumns)) {
    HeaderColumn column;
    column.name = std::string(text_of(body, field));
    column.meaning = meaning_of(column.name);
    if (docker) {
      column.meaning.role = Role::None;
      if (column.name == "MEM USAGE / LIMIT") {
        column.meaning.role = Role::Memory;
        column.meaning.quantity = Quantity::ContainerMemory;
      }
      if (column.name == "NAME" || (column.name == "CONTAINER")) column.meaning.role = Role::Name;
    } else if (column.name == "Elapsed time") {
      column.meaning.role = Role::Seconds;
    }
    columns.push_back(std::move(column));
  }
  drop_weaker(columns);
  for (HeaderColumn& column : columns) {
    memory = memory || column.meaning.role == Role::Memory;
    if (docker || layout.format == PsrecordFormat) {
      const std::string kept = column.name;
      column.name.clear();
      layout.columns.push_back(column_of(column, line.registry, UnitSource::Magnitude, 0));
      column.name = kept;
    }
  }
  if (!memory || layout.columns.size() < 2) return std::nullopt;
  return layout;
}

}  // namespace

bool analyse_header(const Line& line, ShapePlan& plan) {
  if (line.text.size() > 4096) return false;
  std::optional<Layout> layout = wide_layout(line);
  if (!layout) layout = process_layout(line);
  for (const char delimiter : {',', '\t', ';', '|'}) {
    if (!layout && line.text.find(delimiter) != std::string_view::npos)
      layout = delimited_layout(line, delimiter);
  }
  if (!layout) layout = single_column(line);
  if (!layout) return false;
  plan.format = layout->format;
  plan.ask_each_time = true;
  Context context = line.context;
  context.layout = std::move(layout);
  // pidstat prints the time in its header: the shape is the same every tick. Elsewhere
  // digits are part of a name ("rss_1").
  std::string key = context.free_scale > 0 ? "free " + std::to_string(context.free_scale) : "header ";
  key += context.old_free ? "old " : " ";
  key += context.layout->format == PidstatFormat ? line.shape : line.text;
  plan.next_context = line.registry.context(context, key);
  return true;
}

}  // namespace lowtide::ingest

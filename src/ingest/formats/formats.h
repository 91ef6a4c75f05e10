// The formats that can be read, as data: each with a real example beside it.
//
// A format is a row of the table in formats.cpp: its name for people, the
// function that recognises a line of it, an example as the tool printed it, and
// what must be found there. The test formats_test.cpp runs every example.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "ingest/formats/shape_plan.h"

namespace lowtide::ingest {

enum FormatNumber : std::uint16_t {
  NoFormat,
  WatchFormat,
  MprofFormat,
  FreeFormat,
  TopFormat,
  TimeFormat,
  NvidiaTableFormat,
  NvidiaFormat,
  NvidiaBareFormat,
  SummaryFormat,
  DmonFormat,
  DockerFormat,
  PsrecordFormat,
  PidstatFormat,
  PsFormat,
  CsvFormat,
  JsonFormat,
  DictFormat,
  TitanFormat,
  MmFormat,
  MegatronFormat,
  DeepSpeedFormat,
  BareNumbersFormat,
  BarePairFormat,
  BarePidstatFormat,
  WordsFormat,
  FormatCount,
};

struct Format {
  FormatNumber number = NoFormat;
  std::string_view name;  // "free", "nvidia-smi --query-gpu"
  std::string_view note;  // unit convention, what is ignored: for docs and people
  bool (*analyse)(const Line& line, ShapePlan& plan) = nullptr;  // null = another row's function reads it
  std::string_view example;                                      // whole lines, as printed
  struct Expected {
    model::Quantity quantity = model::Quantity::ProcessMemory;
    std::size_t readings = 0;  // of all series together
    double last_bytes = 0;
    double last_step = -1;  // -1 = none
    double last_at_s = -1;
  } expected;
};

// For the messages of gtest.
inline void PrintTo(const Format& format, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << format.name;
}

// Indexed by FormatNumber.
std::span<const Format> formats();

// "Step 10: 5,552 MB lines, HF Trainer dicts, CSV, ...": for error messages.
std::string format_names();

// What a trainer that prints no unit means by its number, told by a marker in its lines.
struct Convention {
  FormatNumber format = NoFormat;
  std::string_view marker;
  model::Quantity quantity = model::Quantity::GpuAllocated;
  double scale = 0;            // 0 = its lines say the unit
  bool sets_quantity = false;  // its "memory" is that quantity, which the words do not tell
};

// The convention whose marker is in the line, or null.
const Convention* find_convention(std::string_view shape);

// Finds what a line says, trying the formats in the order of the table.
ShapePlan analyse(const Line& line);

}  // namespace lowtide::ingest

// What one line of a log says, in a form that no longer needs the line.
//
// The parser turns lines into facts; the assembler turns facts into runs and
// series. Facts refer to topics, names and texts by number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/report.h"

namespace lowtide::ingest {

// What a number (or a mark) in a line is.
enum class Role : std::uint8_t {
  None,
  Date,          // seconds since 1970, UTC where the log does not say
  YearlessDate,  // seconds since the start of some year
  Clock,         // seconds since midnight
  Seconds,       // a number in a time column: seconds of an unknown origin
  Step,
  StepTotal,
  BarStep,  // of a progress bar: "10/663"; weaker than a step that is called one
  BarTotal,
  Epoch,
  Memory,
  Limit,
  Pid,        // of the process that is measured, one of several (ps, top)
  WriterPid,  // of the process that writes the log: a new one is a new run
  Gpu,
  Rank,
  Name,        // number of a name in Facts::names
  GpuName,     // the same: of a model, not of one GPU
  Percent,     // memory as a share of something: not bytes
  RunMark,     // number of a text: the log says that a run begins here
  Event,       // number of an event
  Peak,        // a high-water mark: not a reading
  NotANumber,  // memory that was printed as nan or inf
  Partial,     // one member of an object that is spread over lines
  Flush,       // the end of such an object
};

struct Value {
  double number = 0;
  std::uint16_t topic = 0;  // Memory, Limit: which
  Role role = Role::None;
  bool negative = false;
  std::uint8_t unit = 0;  // Memory: the exponent of the unit's scale, to notice when it changes
};

// What a memory number measures, and how its unit was found.
enum class UnitSource : std::uint8_t {
  Written,     // the line or the column says it
  Convention,  // the format is documented to use it
  Magnitude,   // nothing says it: the first value decides, with a warning
  Free,        // `free` prints none: the total decides, with a warning
};

struct Topic {
  model::Quantity quantity = model::Quantity::ProcessMemory;
  std::string label;  // in the log's own words; may be empty
  UnitSource unit = UnitSource::Written;
  int gpu = -1;  // where the label itself names it: "system.gpu.1.memoryAllocatedBytes"
};

struct FactHeader {
  std::uint64_t line = 0;
  std::uint32_t first_value = 0;  // of Facts::values
  std::uint16_t values = 0;
  std::uint16_t format = 0;  // index into formats()
};

struct Facts {
  std::vector<FactHeader> headers;
  std::vector<Value> values;
  std::vector<model::Event> events;
  std::vector<std::string> texts;

  void clear() {
    headers.clear();
    values.clear();
    events.clear();
    texts.clear();
  }
};

}  // namespace lowtide::ingest

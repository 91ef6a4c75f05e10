// What a part of memory is used for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/code_line.h"

namespace lowtide::model {

// Rules look at the kind: the name is for people.
enum class MemoryPartKind {
  Other,         // "parameters", "outside torch", "a dict below `trainer`"
  Variable,      // the name is that of a variable, in backticks
  Activations,   // what autograd graphs keep
  OtherTensors,  // those that no variable holds alone
  Free           // what nothing holds
};

// A part of the memory at one moment.
struct MemoryPart {
  std::string name;  // "activations", "`cache`"
  std::uint64_t bytes = 0;
  std::string what = {};  // "a dict of 20 items"
  bool has_tensors = true;
  std::string variable = {};  // through which the tensors are reached, where `name` is another one
  MemoryPartKind kind = MemoryPartKind::Other;
  std::optional<CodeLine> line = {};           // that allocates it
  std::optional<double> growth_per_step = {};  // where its growth is known by itself
};

inline std::uint64_t sum_of(const std::vector<MemoryPart>& parts) {
  std::uint64_t out = 0;
  for (const MemoryPart& part : parts) out += part.bytes;
  return out;
}

inline std::uint64_t tensor_bytes_of(const std::vector<MemoryPart>& parts) {
  std::uint64_t out = 0;
  for (const MemoryPart& part : parts) out += part.has_tensors ? part.bytes : 0;
  return out;
}

// What fills a GPU at one moment. The parts add up to its size.
struct GpuLedger {
  double at_s = 0;
  std::vector<MemoryPart> parts;
};

}  // namespace lowtide::model

// Claims about a run, with what they rest on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/code_line.h"
#include "model/finding_ids.h"
#include "model/holder_report.h"
#include "model/memory_part.h"
#include "model/process.h"
#include "model/severity.h"

namespace lowtide::model {

// Why resident memory grew.
enum class Mechanism {
  LiveObjects,
  AllocatorRetention,
  CopyOnWrite,
  SharedMemory,
  PageCache,
  BoundedCache,
  NativeLive,
  GpuReserve,
  GpuOutsideTorch,
  Unexplained
};

// Where in the job's code; what is not known is absent.
struct Place {
  std::optional<std::string> file;
  std::optional<std::uint64_t> line;
  std::optional<std::string> function;
  std::optional<std::string> holder;
};

// The processes that one finding is about; more than one where they behave alike.
struct FindingProcess {
  ProcessRole role = ProcessRole::Other;
  std::optional<int> index = {};
  std::vector<std::int64_t> pids = {};
};

// Rules that join findings look at the kind: no rule reads the text.
enum class ObservationKind {
  Other,
  LineShare  // of one line, in the growth of one process
};

// One sentence of evidence, lower case, no full stop.
struct Observation {
  std::string text;
  ObservationKind kind = ObservationKind::Other;

  // NOLINTNEXTLINE(google-explicit-constructor): nearly all evidence is a sentence without a kind
  Observation(std::string said, ObservationKind of_kind = ObservationKind::Other)
      : text(std::move(said)), kind(of_kind) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Observation(const char* said) : text(said) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator const std::string&() const { return text; }
  friend bool operator==(const Observation& a, const Observation& b) { return a.text == b.text; }
};

// Another cause, and how little of the growth it explains.
struct ExcludedCause {
  std::string what;                         // "fragmentation", "3 other processes flat"
  std::optional<Mechanism> mechanism = {};  // absent: no mechanism, so without a share
  double share = 0;                         // of the growth
};

struct Finding {
  FindingId id = {};  // several processes may have the same
  Severity severity = Severity::Info;
  std::string title = {};  // one sentence, lower case, no full stop
  std::optional<Mechanism> mechanism = {};
  std::optional<std::int64_t> pid = {};
  Place where = {};
  std::optional<FindingProcess> process = {};
  std::string variable = {};         // that holds the memory, as the code writes it
  std::string cause = {};            // the mechanism in one sentence; empty where only a name suggests it
  std::string library = {};          // whose native code allocates what no Python object accounts for
  std::string held_by = {};          // in words, where no variable is known to hold it
  std::string files = {};            // in memory, that nearly all of it is: "/dev/shm/batch*.npy"
  std::uint64_t running_calls = 0;   // of the function whose variable it is; 0: that is not the cause
  std::string callee = {};           // the C function that the line calls through ctypes or cffi
  std::string phase = {};            // of the trainer, that keeps it
  std::vector<CodeLine> lines = {};  // that allocate, store and create what is held
  std::vector<TensorGrowth> tensors = {};  // below the variable, or in its process
  std::vector<MemoryPart> parts = {};      // what tensors held when an allocation failed, most first
  double growth_bytes = 0;
  bool is_on_device = false;                    // most of what grew
  std::optional<std::uint64_t> end_bytes = {};  // where the growth of the process tree ends, if it does
  std::optional<double> share = {};             // of the growth of the floor
  double confidence = 0;
  std::vector<Observation> evidence = {};  // what was measured
  std::vector<ExcludedCause> excluded = {};
  std::string fix = {};    // what to do; empty when there is nothing to do
  std::string hint = {};   // the fix as a line or two of code; empty: none
  std::string watch = {};  // what to expect after the fix; empty: nothing special
  bool ruled_out = false;  // states what the cause is not
};

struct MechanismShare {
  Mechanism mechanism = Mechanism::Unexplained;
  std::uint64_t bytes = 0;
  double share = 0;
};

// What the growth of the floor is made of; without growth to speak of, no mechanisms.
struct GrowthReport {
  std::int64_t floor_bytes = 0;
  std::optional<double> explained_share;
  std::vector<MechanismShare> mechanisms;
};

constexpr std::string_view to_string(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::LiveObjects:
      return "live-objects";
    case Mechanism::AllocatorRetention:
      return "allocator-retention";
    case Mechanism::CopyOnWrite:
      return "copy-on-write";
    case Mechanism::SharedMemory:
      return "shared-memory";
    case Mechanism::PageCache:
      return "page-cache";
    case Mechanism::BoundedCache:
      return "bounded-cache";
    case Mechanism::NativeLive:
      return "native-live";
    case Mechanism::GpuReserve:
      return "gpu-reserve";
    case Mechanism::GpuOutsideTorch:
      return "gpu-outside-torch";
    case Mechanism::Unexplained:
      return "unexplained";
  }
  return {};
}

}  // namespace lowtide::model

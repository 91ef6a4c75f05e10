#include <functional>
#include <vector>

#include "show/json/findings.h"
#include "show/json/holders.h"
#include "show/snapshot.h"

namespace lowtide::show {

using model::Snapshot;
using model::SnapshotReport;

struct SnapshotFacts {
  std::reference_wrapper<const SnapshotReport> report;
};

namespace {

template <auto Rows>
constexpr auto rows_field(const char* name, const char* meaning) {
  return field(name, meaning, [](const SnapshotReport& report) {
    using Row = typename base::ValueOf<Rows>::value_type;
    std::vector<Grown<Row>> list;
    for (const Row& row : report.*Rows) list.push_back({report.snapshot.pid, row, report.has_earlier});
    return list;
  });
}

}  // namespace

template <model::TensorUse Use>
constexpr auto use_field(const char* name, const char* meaning) {
  return field(name, meaning, [](const SnapshotFacts& facts) -> std::optional<std::uint64_t> {
    const Snapshot& snapshot = facts.report.get().snapshot;
    return snapshot.has_tensors ? std::optional(model::bytes_of_use(snapshot, Use)) : std::nullopt;
  });
}

constexpr auto describe(Tag<SnapshotFacts>) {
  constexpr auto kReport = &SnapshotFacts::report;
  constexpr auto kSnapshot = &SnapshotReport::snapshot;
  return object(
      "SnapshotFacts", "the whole process at one moment",
      field<kReport, kSnapshot, &Snapshot::pid>("pid", "the process"),
      field<kReport, kSnapshot, &Snapshot::python>("python", "its version: `3.11`"),
      field_as<Rounded<14>, kReport, kSnapshot, &Snapshot::at_s>("at_s", "when, Unix time"),
      field("since_s", "for a difference: the time between the two snapshots",
            [](const SnapshotFacts& facts) {
              const SnapshotReport& report = facts.report;
              return report.has_earlier ? std::optional(Number{report.since_s}) : std::nullopt;
            }),
      field("growth_bytes", "for a difference: growth of objects and tensors in host memory",
            [](const SnapshotFacts& facts) {
              const SnapshotReport& report = facts.report;
              return report.has_earlier ? std::optional(report.growth_bytes) : std::nullopt;
            }),
      field<kReport, kSnapshot, &Snapshot::objects>("objects", "Python objects"),
      field<kReport, kSnapshot, &Snapshot::object_bytes>("object_bytes", "their memory"),
      field<kReport, kSnapshot, &Snapshot::storage_bytes>("storage_bytes",
                                                          "tensors in host memory, each storage once"),
      field<kReport, kSnapshot, &Snapshot::device_bytes>("device_bytes", "tensors on GPUs"),
      use_field<model::TensorUse::Parameter>("parameter_bytes",
                                             "torch.nn.Parameter, on the host and on GPUs"),
      use_field<model::TensorUse::Gradient>("gradient_bytes", "gradients of parameters"),
      use_field<model::TensorUse::Saved>(
          "saved_bytes", "what was found first through functions of autograd graphs: activations"),
      field("growth_device_bytes", "for a difference: growth of tensors on GPUs",
            [](const SnapshotFacts& facts) {
              const SnapshotReport& report = facts.report;
              return report.has_earlier ? std::optional(report.growth_device_bytes) : std::nullopt;
            }),
      field<kReport, kSnapshot, &Snapshot::has_torch>("has_torch", "whether torch is loaded"),
      field<kReport, kSnapshot, &Snapshot::has_tensors>("has_tensors", "whether the tensors are known"),
      field<kReport, kSnapshot, &Snapshot::has_holders>("has_holders", "whether the holders are known"),
      field<kReport, kSnapshot, &Snapshot::is_exact>("is_exact", "false: `retained_bytes` are upper bounds"),
      field<kReport, kSnapshot, &Snapshot::is_whole>(
          "is_whole", "false: not every object was counted, and all figures are lower bounds"),
      field_as<Number, kReport, kSnapshot, &Snapshot::pause_s>("pause_s",
                                                               "how long the interpreter was paused"),
      field_as<Number, kReport, kSnapshot, &Snapshot::walk_s>("walk_s",
                                                              "time to count the objects, in the child"),
      field_as<Number, kReport, kSnapshot, &Snapshot::whole_s>("whole_s", "time of the child in total"),
      field<kReport, kSnapshot, &Snapshot::table_bytes>("table_bytes", "memory that the child used"));
}

constexpr auto describe(Tag<SnapshotReport>) {
  return object("Snapshot",
                "what `lowtide snapshot --json PID` prints; `lowtide snapshot --diff` reads such files",
                program_version<SnapshotReport>(), schema_version<SnapshotReport>(),
                field("snapshot", "the whole process",
                      [](const SnapshotReport& report) { return SnapshotFacts{report}; }),
                rows_field<&SnapshotReport::holders>("holders", "the variables that hold the most memory"),
                rows_field<&SnapshotReport::tensors>("tensors", "tensors of the same device, type and shape"),
                rows_field<&SnapshotReport::types>("types", "Python objects by type"),
                field<&SnapshotReport::gpu_parts>(
                    "gpu_parts", "what tensors on GPUs are used for; empty for a difference"));
}

ObjectText snapshot_text() {
  return text_of<SnapshotReport>();
}

std::string to_json(const SnapshotReport& report) {
  return document_of(report);
}

}  // namespace lowtide::show

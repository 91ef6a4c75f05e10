#include "explain/gpu_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using model::MemoryPart;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;

constexpr std::uint64_t kLedgerGB = 1'000'000'000;
constexpr model::ProcessId kLedgerTrainer{7};
constexpr std::int64_t kLedgerPid = 4711;

auto row(const char* name, std::uint64_t gb) {
  return AllOf(Field(&MemoryPart::name, name), Field(&MemoryPart::bytes, gb * kLedgerGB));
}

RecordedSeries flat_series(std::uint64_t gb) {
  RecordedSeries out;
  for (int at = 0; at < 100; ++at) {
    out.push_back({.at_s = 1.0 * at, .low_bytes = gb * kLedgerGB, .high_bytes = gb * kLedgerGB});
  }
  return out;
}

record::RecordedSnapshot tensors_at(double at_s, std::uint64_t tensors_gb) {
  model::Snapshot out;
  out.at_s = at_s;
  out.has_tensors = out.is_exact = true;
  out.device_bytes = tensors_gb * kLedgerGB;
  out.cuda_allocated_bytes = (tensors_gb + 1) * kLedgerGB;
  out.cuda_reserved_bytes = 50 * kLedgerGB;
  out.nodes.resize(1);
  out.nodes[0].path = "__main__.kept";
  out.nodes[0].type = "list";
  out.nodes[0].device_bytes = tensors_gb * kLedgerGB;
  return {kLedgerTrainer, out};
}

// 80 GB: the process has 52, of which torch reserves 50; another process has 3.
Evidence evidence_with(std::vector<record::RecordedSnapshot> snapshots) {
  Evidence out;
  model::ProcessInfo info;
  info.id = kLedgerTrainer;
  info.pid = kLedgerPid;
  out.processes.push_back({.info = info});
  GpuEvidence gpu;
  gpu.last = {0, 80 * kLedgerGB, 55 * kLedgerGB};
  gpu.used = flat_series(55);
  gpu.processes.push_back({.id = kLedgerTrainer, .series = flat_series(52), .outside = flat_series(2)});
  out.gpus.push_back(std::move(gpu));
  out.snapshots = std::move(snapshots);
  return out;
}

model::GpuReport gpu_of(const Evidence& evidence) {
  std::vector<model::GpuReport> gpus(1);
  gpus[0].pid = kLedgerPid;
  add_gpu_ledgers(evidence, gpus);
  return gpus[0];
}

TEST(GpuLedger, adds_up_to_the_memory_of_the_gpu) {
  const model::GpuReport report = gpu_of(evidence_with({tensors_at(50, 40)}));

  ASSERT_TRUE(report.ledger);
  EXPECT_THAT(report.ledger->parts,
              ElementsAre(row("`kept`", 40), row("without a Python object", 1), row("free, kept by torch", 9),
                          row("outside torch", 2), row("other processes", 3), row("free", 25)));
  EXPECT_EQ(model::sum_of(report.ledger->parts), 80 * kLedgerGB);
  EXPECT_FALSE(report.peak_ledger) << "the only snapshot is the last";
}

TEST(GpuLedger, of_the_peak_is_another_one) {
  const model::GpuReport report =
      gpu_of(evidence_with({tensors_at(20, 30), tensors_at(50, 45), tensors_at(90, 10)}));

  ASSERT_TRUE(report.ledger && report.peak_ledger);
  EXPECT_EQ(report.ledger->at_s, 90);
  EXPECT_EQ(report.peak_ledger->at_s, 50);
}

TEST(GpuLedger, of_jax_has_its_pool) {
  Evidence of_jax = evidence_with({tensors_at(50, 40)});
  of_jax.gpus.front().processes.front().torch = model::TorchReading{.framework = model::Framework::Jax};

  const model::GpuReport report = gpu_of(of_jax);

  ASSERT_TRUE(report.ledger);
  EXPECT_THAT(report.ledger->parts, testing::Contains(row("free, kept by JAX", 9)));
  EXPECT_EQ(model::sum_of(report.ledger->parts), 80 * kLedgerGB);
}

TEST(GpuLedger, is_left_out_where_it_cannot_be_known) {
  auto foreign = tensors_at(50, 60);  // tensors that torch's allocator does not have
  foreign.snapshot.cuda_allocated_bytes = 20 * kLedgerGB;
  auto old = tensors_at(50, 40);
  old.snapshot.cuda_allocated_bytes = 0;
  EXPECT_FALSE(gpu_of(evidence_with({foreign})).ledger);
  EXPECT_FALSE(gpu_of(evidence_with({old})).ledger);

  Evidence two_gpus = evidence_with({tensors_at(50, 40)});
  two_gpus.gpus.push_back(two_gpus.gpus.front());
  two_gpus.gpus.back().index = 1;
  EXPECT_FALSE(gpu_of(two_gpus).ledger) << "tensors of a snapshot are not divided by GPU";
}

}  // namespace
}  // namespace lowtide::explain

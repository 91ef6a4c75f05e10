#include "observe/agents/agent_ring.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <memory>

namespace lowtide::observe {
namespace {

constexpr std::uint64_t kSmallRing = 16384;

// The agent's side, in memory.
class Writer {
 public:
  Writer() : bytes_(wire::kHeaderBytes + kSmallRing + wire::chunk_offset(1)) {
    memory_ = std::unique_ptr<std::byte[], decltype(&std::free)>(
        static_cast<std::byte*>(std::aligned_alloc(4096, (bytes_ + 4095) & ~4095ULL)), &std::free);
    std::memset(memory_.get(), 0, bytes_);
    wire::Header& head = header();
    head.magic = wire::kMagic;
    head.version = wire::kVersion;
    head.machine = wire::Machine::Amd64;
    head.ring_offset = wire::kHeaderBytes;
    head.ring_bytes = kSmallRing;
    head.table_offset = wire::kHeaderBytes + kSmallRing;
  }

  std::span<std::byte> memory() { return {memory_.get(), bytes_}; }
  wire::Header& header() { return *reinterpret_cast<wire::Header*>(memory_.get()); }

  wire::Bucket& bucket(std::uint64_t at) {
    return reinterpret_cast<wire::Bucket*>(memory_.get() + header().table_offset)[at];
  }

  template <typename Record>
  void put(Record record, std::string_view rest) {
    const std::uint64_t bytes = (sizeof(record) + rest.size() + 7) & ~7ULL;
    if (record.header.bytes == 0) {
      record.header.bytes = static_cast<std::uint32_t>(bytes);
    }
    record.header.commit = wire::commit_word(head_);
    std::string whole(reinterpret_cast<const char*>(&record), sizeof(record));
    whole += rest;
    whole.resize(bytes);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      memory_[wire::kHeaderBytes + ((head_ + at) & (kSmallRing - 1))] = static_cast<std::byte>(whole[at]);
    }
    head_ += bytes;
  }

  // A sampled block in slot `at` of the first bucket.
  void allocate(std::uint64_t sample, std::uint32_t at, std::size_t stack_bytes = 64) {
    wire::AllocationRecord record{};
    record.header.kind = wire::RecordKind::Allocation;
    record.sample = sample;
    record.weight_bytes = 1000;
    record.slot = wire::make_slot(0, 0, at);
    record.stack_bytes = static_cast<std::uint32_t>(stack_bytes);
    bucket(0).sample[at] = sample;
    put(record, std::string(stack_bytes, 's'));
  }

  void free(std::uint32_t at) {
    bucket(0).sample[at] = 0;
    header().agent.frees.fetch_add(1);
  }

 private:
  std::uint64_t bytes_;
  std::unique_ptr<std::byte[], decltype(&std::free)> memory_{nullptr, &std::free};
  std::uint64_t head_ = 0;
};

struct Seen : AgentSink {
  std::vector<std::uint64_t> live;
  std::vector<std::uint64_t> dead;
  std::vector<std::uint64_t> freed;
  std::vector<std::string> codes;

  void on_code(const AgentCode& code) override {
    codes.push_back(std::string(code.file) + ' ' + std::string(code.function));
  }
  void on_allocation(const AgentAllocation& allocation) override {
    (allocation.is_live ? live : dead).push_back(allocation.sample);
  }
  void on_free(std::uint64_t sample) override { freed.push_back(sample); }
};

using Samples = std::vector<std::uint64_t>;

TEST(AgentRing, trim_trial_is_asked_for_and_its_numbers_are_read) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring.value().trial().state, wire::TrialState::None);

  ring.value().ask_trim();
  writer.header().trial.rss_before_bytes = 900;
  writer.header().trial.rss_after_bytes = 400;
  writer.header().trial.state = static_cast<std::uint32_t>(wire::TrialState::Done);

  EXPECT_EQ(writer.header().monitor.asked_trim, 1U);
  EXPECT_EQ(ring.value().trial().state, wire::TrialState::Done);
  EXPECT_EQ(ring.value().trial().rss_before_bytes, 900U);
  EXPECT_EQ(ring.value().trial().rss_after_bytes, 400U);
}

TEST(AgentRing, state_of_a_trial_that_does_not_exist_is_none) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  ASSERT_TRUE(ring);
  writer.header().trial.rss_before_bytes = 900;
  writer.header().trial.state = 77;

  EXPECT_EQ(ring.value().trial().state, wire::TrialState::None);
  EXPECT_EQ(ring.value().trial().rss_before_bytes, 0U);
}

TEST(AgentRing, steps_phases_and_counters_are_read) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  ASSERT_TRUE(ring);
  wire::MarksPart& marks = writer.header().marks;
  marks.state = static_cast<std::uint32_t>(wire::MarksState::Hooked);
  marks.steps = 41 | wire::kOwnSteps;
  std::strncpy(marks.phase_parts[1].name, "eval", wire::kMaxPhaseName);
  marks.phase_parts[1].count = 3;
  marks.phase_parts[1].took_ns = 8;
  marks.phases = 2;
  marks.phase = 2;
  marks.device_parts[0].reserved_bytes = 900;
  marks.devices = 1;
  AgentMarks read;

  ring.value().ask_marks();
  ring.value().read_marks(read);

  EXPECT_EQ(writer.header().monitor.asked_marks, 1U);
  EXPECT_EQ(read.steps, 41U);
  EXPECT_TRUE(read.are_own_steps);
  EXPECT_EQ(read.phase, 1U);
  ASSERT_EQ(read.phases.size(), 2U);
  EXPECT_EQ(read.phases[1].name, "eval");
  EXPECT_EQ(read.phases[1].took_ns, 8U);
  ASSERT_EQ(read.devices.size(), 1U);
  EXPECT_EQ(read.devices[0].reserved_bytes, 900U);
}

TEST(AgentRing, marks_that_cannot_be_are_cut_to_what_can) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  ASSERT_TRUE(ring);
  wire::MarksPart& marks = writer.header().marks;
  std::memset(marks.phase_parts[0].name, 'x', sizeof(marks.phase_parts[0].name));  // no end
  marks.phases = 4'000'000;
  marks.phase = 4'000'000;
  marks.devices = 4'000'000;
  marks.state = 77;
  AgentMarks read;

  ring.value().read_marks(read);

  EXPECT_EQ(read.state, wire::MarksState::Failed);
  EXPECT_EQ(read.phases.size(), wire::kMaxPhases);
  EXPECT_EQ(read.phases[0].name.size(), wire::kMaxPhaseName + 1);
  EXPECT_FALSE(read.phase);
  EXPECT_EQ(read.devices.size(), wire::kMaxDevices);
}

TEST(AgentRing, block_lives_until_its_slot_is_cleared) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  ASSERT_TRUE(ring);
  writer.allocate(1, 0);
  writer.allocate(2, 1);
  Seen seen;

  ASSERT_TRUE(ring.value().poll(seen));
  writer.free(0);
  ASSERT_TRUE(ring.value().poll(seen));

  EXPECT_EQ(seen.live, (Samples{1, 2}));
  EXPECT_EQ(seen.freed, Samples{1});
  EXPECT_EQ(ring.value().live_samples(), 1U);
}

TEST(AgentRing, what_an_interpreter_frees_when_it_ends_was_kept_by_the_job) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  const auto now_ns = static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
  writer.allocate(1, 0);
  Seen seen;
  ASSERT_TRUE(ring.value().poll(seen));

  writer.header().agent.ending_ns.store(now_ns);
  writer.free(0);
  ASSERT_TRUE(ring.value().poll(seen));
  EXPECT_TRUE(seen.freed.empty());

  writer.header().agent.ending_ns.store(now_ns - 60'000'000'000);  // and its process lives on
  ASSERT_TRUE(ring.value().poll(seen));
  EXPECT_EQ(seen.freed, Samples{1});
}

TEST(AgentRing, block_freed_before_it_was_read_is_dead_on_arrival) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  writer.allocate(1, 0);
  writer.free(0);
  Seen seen;

  ASSERT_TRUE(ring.value().poll(seen));

  EXPECT_EQ(seen.dead, Samples{1});
  EXPECT_TRUE(seen.freed.empty());
}

TEST(AgentRing, new_tenant_of_a_slot_ends_the_old_one) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  Seen seen;
  writer.allocate(1, 0);
  ASSERT_TRUE(ring.value().poll(seen));

  writer.allocate(2, 0);
  ASSERT_TRUE(ring.value().poll(seen));

  EXPECT_EQ(seen.freed, Samples{1});
  EXPECT_EQ(seen.live, (Samples{1, 2}));
}

TEST(AgentRing, records_are_whole_across_the_end_of_the_ring) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  Seen seen;

  for (std::uint64_t sample = 1; sample <= 40; ++sample) {
    writer.allocate(sample, 0, 5000);
    ASSERT_TRUE(ring.value().poll(seen)) << sample;
  }

  EXPECT_EQ(seen.live.size(), 40U);
  EXPECT_EQ(seen.freed.size(), 39U);
}

TEST(AgentRing, code_names_come_with_their_bytes) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  wire::CodeRecord record{};
  record.header.kind = wire::RecordKind::Code;
  record.file_bytes = 8;
  record.function_bytes = 5;
  Seen seen;

  writer.put(record, "train.pyvalid");
  ASSERT_TRUE(ring.value().poll(seen));

  EXPECT_EQ(seen.codes, std::vector<std::string>{"train.py valid"});
}

TEST(AgentRing, lost_hooks_give_up_pythons_blocks_only) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  wire::AllocationRecord record{};
  record.header.kind = wire::RecordKind::Allocation;
  record.sample = 1;
  record.source = wire::Source::PythonObject;
  record.slot = wire::make_slot(0, 0, 0);
  writer.bucket(0).sample[0] = 1;
  writer.put(record, "");
  writer.allocate(2, 1);
  writer.header().agent.python_state = static_cast<std::uint32_t>(wire::PythonState::HooksLost);
  Seen seen;

  ASSERT_TRUE(ring.value().poll(seen));

  EXPECT_EQ(seen.freed, Samples{1});
}

TEST(AgentRing, impossible_header_is_refused) {
  const auto refused = [](auto change) {
    Writer writer;
    change(writer.header());
    return !AgentRing::over(writer.memory());
  };

  EXPECT_TRUE(refused([](wire::Header& header) { header.magic = 1; }));
  EXPECT_TRUE(refused([](wire::Header& header) { header.version = 99; }));
  EXPECT_TRUE(refused([](wire::Header& header) { header.ring_bytes = kSmallRing - 8; }));
  EXPECT_TRUE(refused([](wire::Header& header) { header.ring_bytes = 1ULL << 63U; }));
  EXPECT_TRUE(refused([](wire::Header& header) { header.ring_offset = ~0ULL - 7; }));
  EXPECT_TRUE(refused([](wire::Header& header) { header.table_offset = ~0ULL - 63; }));
  EXPECT_TRUE(refused([](wire::Header& header) { header.table_offset = 4096; }));
}

TEST(AgentRing, record_that_lies_about_its_size_breaks_the_ring_for_good) {
  for (const std::uint32_t bytes : {8U, 17U, 1U << 20U, 0xfffffff8U}) {
    Writer writer;
    auto ring = AgentRing::over(writer.memory());
    wire::AllocationRecord record{};
    record.header.kind = wire::RecordKind::Allocation;
    record.header.bytes = bytes;
    record.sample = 1;
    writer.put(record, "");
    Seen seen;

    EXPECT_FALSE(ring.value().poll(seen)) << bytes;
    EXPECT_FALSE(ring.value().poll(seen)) << bytes;
  }
}

TEST(AgentRing, counts_inside_a_record_are_held_against_its_size) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  wire::AllocationRecord record{};
  record.header.kind = wire::RecordKind::Allocation;
  record.sample = 1;
  record.stack_bytes = 4096;
  writer.put(record, "short");
  Seen seen;

  EXPECT_FALSE(ring.value().poll(seen));
}

TEST(AgentRing, slot_that_does_not_exist_holds_nothing) {
  Writer writer;
  auto ring = AgentRing::over(writer.memory());
  Seen seen;
  for (const std::uint64_t slot :
       Samples{wire::make_slot(3, 131071, 6), wire::make_slot(0, 2048, 0), ~1ULL, 7}) {
    wire::AllocationRecord record{};
    record.header.kind = wire::RecordKind::Allocation;
    record.sample = 1;
    record.slot = slot;
    writer.put(record, "");
  }

  ASSERT_TRUE(ring.value().poll(seen));

  EXPECT_EQ(seen.dead.size(), 4U);
}

TEST(AgentRing, file_that_could_shrink_is_refused) {
  Writer writer;
  const base::Fd file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::write(file.get(), writer.memory().data(), writer.memory().size()),
            static_cast<ssize_t>(writer.memory().size()));

  EXPECT_FALSE(AgentRing::open(file));
}

}  // namespace
}  // namespace lowtide::observe

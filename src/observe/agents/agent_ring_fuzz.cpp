// A memory file of random bytes: first comes the header, with the magic put
// right so that the rest is looked at; records get the commit word of their place.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "observe/agents/agent_ring.h"

namespace {

constexpr std::size_t kRing = 4096;

struct Nowhere : lowtide::observe::AgentSink {
  std::size_t letters = 0;
  void on_code(const lowtide::observe::AgentCode& code) override {
    for (const char letter : code.file) letters += static_cast<unsigned char>(letter);
    for (const char letter : code.function) letters += static_cast<unsigned char>(letter);
  }
  void on_allocation(const lowtide::observe::AgentAllocation& allocation) override {
    for (const std::byte byte : allocation.stack) letters += static_cast<std::size_t>(byte);
    for (const auto& frame : allocation.frames) letters += frame.line;
  }
  void on_free(std::uint64_t /*sample*/) override { ++letters; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace wire = lowtide::wire;
  constexpr std::size_t kBytes = wire::kHeaderBytes + kRing + 64 * sizeof(wire::Bucket);
  const std::unique_ptr<std::byte, decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(4096, (kBytes + 4095) / 4096 * 4096)), &std::free);
  std::memset(memory.get(), 0, kBytes);
  if (size == 0) return 0;
  // The first byte says whether the header is to be the input's or one that makes sense.
  const bool own_header = (data[0] & 1U) != 0;
  auto* header = reinterpret_cast<wire::Header*>(memory.get());
  const std::size_t from = own_header ? 0 : wire::kHeaderBytes;
  std::memcpy(memory.get() + from, data + 1, std::min(size - 1, kBytes - from));
  header->magic = wire::kMagic;
  header->version = wire::kVersion;
  if (!own_header) {
    header->machine = wire::Machine::Aarch64;
    header->ring_offset = wire::kHeaderBytes;
    header->ring_bytes = kRing;
    header->table_offset = wire::kHeaderBytes + kRing;
    header->agent.frees = 1;
  }
  auto ring = lowtide::observe::AgentRing::over({memory.get(), kBytes});
  if (!ring) return 0;
  Nowhere sink;
  std::uint64_t position = 0;
  for (int polls = 0; polls < 64; ++polls) {
    // As a hostile agent would: the next record is there, whatever it is.
    if (!own_header) {
      const std::uint64_t commit = wire::commit_word(position);
      std::memcpy(memory.get() + wire::kHeaderBytes + (position & (kRing - 1)), &commit, sizeof(commit));
    }
    if (!ring.value().poll(sink)) break;
    position = header->monitor.tail.load();
  }
  (void)ring.value().status();
  (void)ring.value().trial();
  lowtide::observe::AgentMarks marks;
  ring.value().read_marks(marks);
  return 0;
}

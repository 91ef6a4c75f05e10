#include "agent/python/walk/contents.h"

#include "agent/python/walk/child_memory.h"

namespace lowtide::agent {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
constexpr std::uint32_t kRoom = 1U << 16U;
constexpr std::uint32_t kMost = kRoom / 4 * 3;

struct Content {
  std::uint64_t key;  // 0: free
  std::uint64_t count;
  std::uint64_t bytes;
  std::uint64_t graph_functions;
};

class ContentTable {
 public:
  bool begin() {
    contents_ = static_cast<Content*>(take_memory(kRoom * sizeof(Content)));
    return contents_ != nullptr;
  }

  // Null where the table is full.
  Content* of(std::uint32_t listed, std::uint32_t type) {
    const std::uint64_t key = ((listed + 1ULL) << 32U) | type;
    if (last_ != nullptr && last_->key == key) {
      return last_;
    }
    for (std::uint64_t place = (key * kGolden) >> 48U;; ++place) {
      Content& content = contents_[place % kRoom];
      if (content.key == key) {
        return last_ = &content;
      }
      if (content.key == 0) {
        if (count_ == kMost) {
          return nullptr;
        }
        ++count_;
        content.key = key;
        return last_ = &content;
      }
    }
  }

  // A single small object counts, too: each large item of a list is a node of its own, and one traceback or
  // one state dict in each of them is what identifies the cause.
  void write(SnapshotFile& file) const {
    for (std::uint32_t at = 0; at < kRoom; ++at) {
      const Content& content = contents_[at];
      if (content.key == 0) {
        continue;
      }
      auto* record = static_cast<wire::ContentRecord*>(
          file.add(wire::SnapshotRecordKind::Content, sizeof(wire::ContentRecord)));
      if (record == nullptr) {
        return;
      }
      record->node = static_cast<std::uint32_t>(content.key >> 32U) - 1;
      record->type = static_cast<std::uint32_t>(content.key);
      record->count = content.count;
      record->bytes = content.bytes;
      record->graph_functions = content.graph_functions;
    }
  }

 private:
  Content* contents_ = nullptr;
  Content* last_ = nullptr;
  std::uint32_t count_ = 0;
};

}  // namespace

void write_contents(ObjectGraph& graph, SnapshotFile& file) {
  constexpr Node kAhead = 12;  // objects whose memory is asked for before their turn
  ContentTable table;
  if (!table.begin()) {
    return;
  }
  for (Node node = 1; node < graph.count(); ++node) {
    if (node + kAhead < graph.count()) {
      __builtin_prefetch(graph.object(node + kAhead));
    }
    const std::uint32_t holder = graph.listed_holder(node);
    if (holder == ObjectGraph::kNotListed) {
      continue;
    }
    const TypeInfo& info = graph.types().of(graph.object(node));
    if (Content* content = table.of(holder, graph.types().index_of(info))) {
      content->count += is_made_here(graph.object(node)) ? 0U : 1U;
      content->bytes += graph.own_bytes(node);
      content->graph_functions += info.role == Role::Function ? 1U : 0U;
    }
  }
  table.write(file);
}

}  // namespace lowtide::agent

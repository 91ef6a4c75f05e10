#include "ingest/scan/parse_ahead.h"

#include <algorithm>

namespace lowtide::ingest {
namespace {

// More find nothing to do: reading and what is done with the readings take turns as well.
constexpr unsigned kMostThreads = 4;

}  // namespace

void parse_chunk(LineParser& parser, Batch& batch) {
  batch.facts.clear();
  parser.begin(batch.before, batch.lines_before);
  if (batch.chunk.ends_skipped_line) parser.skip_line();
  const std::string_view text = batch.chunk.text();
  if (batch.chunk.kind == Chunk::Kind::Piece) {
    parser.parse_piece(text, batch.facts);
  } else {
    const std::size_t used = parser.parse(text, batch.facts);
    if (used < text.size()) parser.parse_last(text.substr(used), batch.facts);
  }
  if (batch.chunk.in_skipped_line) parser.skip_line();
  if (batch.chunk.kind == Chunk::Kind::Last) parser.finish(batch.facts);
  batch.after = parser.state();
  batch.lines = parser.lines() - batch.lines_before;
}

ParseAhead::ParseAhead(Chunker& chunker, Registry& registry, bool use_shapes, const ParserState& state)
    : chunker_(chunker), context_(state.context) {
  const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  parsers_.reserve(count);
  threads_.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    LineParser& parser = parsers_.emplace_back(registry, use_shapes);
    if (chunker.objects_on_one_line()) parser.part_objects();
    threads_.emplace_back([this, &parser] { work(parser); });
  }
}

ParseAhead::~ParseAhead() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Batch* ParseAhead::next() {
  std::unique_lock lock(mutex_);
  if (holding_) {
    ring_[taken_ % ring_.size()].ready = false;
    ++taken_;
    holding_ = false;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return (ended_ && taken_ == begun_) || ring_[taken_ % ring_.size()].ready; });
  if (taken_ == begun_) return nullptr;
  holding_ = true;
  return &ring_[taken_ % ring_.size()].batch;
}

void ParseAhead::tell(const ParserState& state) {
  const std::lock_guard lock(mutex_);
  context_ = state.context;
}

// Reads the next chunk into the place that is its turn; null when there is none any more.
Batch* ParseAhead::begin_next() {
  const std::lock_guard reading(reading_);
  Batch* batch = nullptr;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || ended_ || begun_ - taken_ < ring_.size(); });
    if (stop_ || ended_) return nullptr;
    batch = &ring_[begun_ % ring_.size()].batch;
  }
  const bool more = chunker_.next(batch->chunk);
  const std::lock_guard lock(mutex_);
  ended_ = !more || batch->chunk.kind == Chunk::Kind::Last;
  if (!more) {
    changed_.notify_all();
    return nullptr;
  }
  batch->before = {context_, {}};
  batch->lines_before = 0;
  ++begun_;
  return batch;
}

void ParseAhead::work(LineParser& parser) {
  while (Batch* const batch = begin_next()) {
    if (batch->chunk.kind != Chunk::Kind::Last) parse_chunk(parser, *batch);
    const std::lock_guard lock(mutex_);
    const auto place = std::find_if(ring_.begin(), ring_.end(),
                                    [&](const Place& candidate) { return &candidate.batch == batch; });
    place->ready = true;
    changed_.notify_all();
  }
}

}  // namespace lowtide::ingest

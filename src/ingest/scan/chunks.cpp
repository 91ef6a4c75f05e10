#include "ingest/scan/chunks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ingest/scan/shape_cache.h"
#include "ingest/scan/text_check.h"

namespace lowtide::ingest {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::size_t kReadAtOnce = std::size_t{256} * 1024;
constexpr std::size_t kMaxLine = std::size_t{1024} * 1024;
constexpr std::size_t kLook = std::size_t{64} * 1024;  // how much is looked at to see whether it is text

// Behind the last line end in the text; 0 = it has none. A '\r' ends a line too, but where there is a
// '\n' the two of a "\r\n" must not be parted.
std::size_t find_last_end(std::string_view text) {
  std::size_t at = text.rfind('\n');
  if (at == std::string_view::npos) at = text.rfind('\r');
  return at == std::string_view::npos ? 0 : at + 1;
}

}  // namespace

char* Chunk::room_for(std::size_t more) {
  if (length + more > capacity) {
    const std::size_t larger = length + more;
    auto moved = std::make_unique_for_overwrite<char[]>(larger + kSlack);
    if (length > 0) std::memcpy(moved.get(), bytes.get(), length);
    std::memset(moved.get() + larger, 0, kSlack);
    bytes = std::move(moved);
    capacity = larger;
  }
  return bytes.get() + length;
}

void Chunk::append(std::string_view text) {
  char* const to = room_for(text.size());
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  length += text.size();
}

std::optional<Error> Chunker::look() {
  if (auto error = fill_to_look()) return error;
  if (rest_.empty()) return Error{ErrorCode::Malformed, "the file is empty"};
  if (rest_.starts_with("\xFF\xFE") || rest_.starts_with("\xFE\xFF")) {
    decoder_ = std::make_unique<Utf16Source>(*source_, rest_, rest_[0] == '\xFE');
    source_ = decoder_.get();
    bytes_ = 0;
    rest_.clear();
    ended_ = false;
    if (auto error = fill_to_look()) return error;
  } else if (rest_.starts_with("\xEF\xBB\xBF")) {
    rest_.erase(0, 3);
  }
  const std::string_view text = std::string_view(rest_).substr(0, kLook);
  std::uint64_t control_bytes = 0;
  if (auto error = find_not_text(text, control_bytes)) return error;
  if (control_bytes > 0) warnings_.add("binary bytes in the text", 1, control_bytes);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos && ended_) {
    return Error{ErrorCode::Malformed, "the file has only blank lines"};
  }
  objects_ = is_array_on_one_line(text);
  return std::nullopt;
}

std::optional<Error> Chunker::fill_to_look() {
  Chunk first;
  while (first.length < kLook && !ended_) {
    if (!fill(first)) return error_;
  }
  rest_ = first.text();
  return std::nullopt;
}

// Adds what is next: what was read before, else what the source has.
bool Chunker::fill(Chunk& chunk) {
  const std::size_t at_once = std::min(kReadAtOnce, chunk_bytes_);
  if (!rest_.empty()) {
    const std::size_t taken = std::min(rest_.size(), at_once);
    chunk.append(std::string_view(rest_).substr(0, taken));
    rest_.erase(0, taken);
    return true;
  }
  auto got = source_->read({chunk.room_for(at_once), at_once});
  if (!got) {
    error_ = std::move(got).error();
    return false;
  }
  chunk.length += got.value();
  bytes_ += got.value();
  ended_ = got.value() == 0;
  return true;
}

bool Chunker::next(Chunk& chunk) {
  chunk.length = 0;
  chunk.kind = Chunk::Kind::Lines;
  chunk.ends_skipped_line = chunk.in_skipped_line = chunk.cuts_line = false;
  if (done_) return false;
  for (;;) {
    if (skipping_) skip_to_line_end(chunk);
    if (ended_ && rest_.empty()) {
      done_ = true;
      chunk.kind = Chunk::Kind::Last;
      chunk.in_skipped_line = skipping_;
      return true;
    }
    if (!skipping_ && chunk.length >= chunk_bytes_ && cut(chunk)) return true;
    if (!fill(chunk)) {
      done_ = true;
      return false;
    }
  }
}

void Chunker::skip_to_line_end(Chunk& chunk) {
  const std::size_t end = chunk.text().find('\n');
  if (end == std::string_view::npos) {
    chunk.length = 0;
    return;
  }
  chunk.length -= end + 1;
  std::memmove(chunk.bytes.get(), chunk.bytes.get() + end + 1, chunk.length);
  chunk.ends_skipped_line = true;
  skipping_ = false;
}

// Ends the chunk behind its last line; false = more must be read first.
bool Chunker::cut(Chunk& chunk) {
  if (const std::size_t end = find_last_end(chunk.text()); end > 0) {
    keep_rest(chunk, end);
    return true;
  }
  if (chunk.length < kMaxLine) return false;
  cut_long_line(chunk);
  return true;
}

// No line end within 1 MiB: the first MiB is parsed, the rest of the line is not.
void Chunker::cut_long_line(Chunk& chunk) {
  chunk.kind = Chunk::Kind::Piece;
  const std::size_t close = objects_ ? chunk.text().rfind('}') : std::string_view::npos;
  if (close != std::string_view::npos) {
    keep_rest(chunk, close + 1);
    return;
  }
  chunk.length = kMaxLine;
  chunk.cuts_line = true;
  skipping_ = true;
}

void Chunker::keep_rest(Chunk& chunk, std::size_t from) {
  rest_.insert(0, chunk.text().substr(from));
  chunk.length = from;
}

}  // namespace lowtide::ingest

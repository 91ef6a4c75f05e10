#include "ingest/scan/line_reader.h"

#include <algorithm>
#include <utility>

#include "ingest/scan/text_check.h"

namespace lowtide::ingest {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::size_t kReadAtOnce = std::size_t{256} * 1024;
constexpr std::size_t kMaxLine = std::size_t{1024} * 1024;
constexpr std::size_t kLook = std::size_t{64} * 1024;  // how much is checked to see whether it is text

}  // namespace

std::size_t find_line_end(std::string_view text) {
  const auto end = std::find_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
  return static_cast<std::size_t>(end - text.begin());
}

std::optional<Error> LineReader::look() {
  if (auto error = fill_to_look()) return error;
  if (buffer_.empty()) return Error{ErrorCode::Malformed, "the file is empty"};
  if (buffer_.starts_with("\xFF\xFE") || buffer_.starts_with("\xFE\xFF")) {
    decoder_ = std::make_unique<Utf16Source>(*source_, buffer_, buffer_[0] == '\xFE');
    source_ = decoder_.get();
    bytes_ = 0;
    buffer_.clear();
    ended_ = false;
    if (auto error = fill_to_look()) return error;
  } else if (buffer_.starts_with("\xEF\xBB\xBF")) {
    at_ = 3;
  }
  const std::string_view text = unread().substr(0, kLook);
  std::uint64_t control_bytes = 0;
  if (auto error = find_not_text(text, control_bytes)) return error;
  if (control_bytes > 0) warnings_.add("binary bytes in the text", 1, control_bytes);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos && ended_) {
    return Error{ErrorCode::Malformed, "the file has only blank lines"};
  }
  objects_ = is_array_on_one_line(text);
  return std::nullopt;
}

std::optional<Error> LineReader::fill_to_look() {
  while (buffer_.size() < kLook && !ended_) {
    if (!fill()) return error_;
  }
  return std::nullopt;
}

// Reads on, behind what has not been given out yet.
bool LineReader::fill() {
  buffer_.erase(0, std::exchange(at_, 0));
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + kReadAtOnce);
  auto got = source_->read({buffer_.data() + kept, kReadAtOnce});
  buffer_.resize(kept + (got ? got.value() : 0));
  if (!got) {
    error_ = std::move(got).error();
    return false;
  }
  bytes_ += got.value();
  ended_ = got.value() == 0;
  return true;
}

bool LineReader::next(LogLine& line) {
  for (;;) {
    if (skipping_) skip_to_line_end();
    const std::string_view left = unread();
    const std::size_t length = find_line_end(left);
    const bool has_end = length < left.size();
    line.number = lines_ + 1;
    line.ends = true;
    if (length > kMaxLine) {
      line.text = take_long_line(length);
      return true;
    }
    if (has_end) {
      if (left[length] == '\n') ++lines_;
      line.text = take(length);
      ++at_;
      return true;
    }
    if (ended_) {
      if (left.empty() && !skipping_) return false;
      ++lines_;
      line.ends = false;
      line.text = take(length);
      return !std::exchange(skipping_, false);
    }
    if (!fill()) return false;
  }
}

// The rest of a line that was too long.
void LineReader::skip_to_line_end() {
  const std::size_t end = unread().find('\n');
  skipping_ = end == std::string_view::npos;
  at_ = skipping_ ? buffer_.size() : at_ + end + 1;
  if (!skipping_) ++lines_;
}

std::string_view LineReader::take(std::size_t length) {
  const std::string_view text = unread().substr(0, length);
  at_ += length;
  return text;
}

std::string_view LineReader::take_long_line(std::size_t length) {
  const std::size_t close = objects_ ? unread().substr(0, length).rfind('}') : std::string_view::npos;
  if (close != std::string_view::npos) return take(close + 1);
  warnings_.add("lines longer than 1 MiB: only their first MiB was read", lines_ + 1);
  skipping_ = true;
  return take(kMaxLine);
}

}  // namespace lowtide::ingest

// Cuts the bytes of a log into lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/scan/byte_source.h"
#include "ingest/warnings.h"

namespace lowtide::ingest {

// What stands between two line ends. A line ends at '\n', or at the '\r' by which a progress bar starts
// again.
struct LogLine {
  std::string_view text;     // valid until the next call
  std::uint64_t number = 0;  // only '\n' counts
  bool ends = true;          // false: the file ends before the line does
};

// Where the line at text[0] ends; text.size() if it has no end.
std::size_t find_line_end(std::string_view text);

class LineReader {
 public:
  explicit LineReader(ByteSource& source) : source_(&source) {}

  // Reads the first bytes and decides what they are.
  std::optional<base::Error> look();

  // The next line; false at the end, or if reading failed. Of a line of more than 1 MiB only the first MiB
  // is read, unless it is an array of objects: that comes in pieces which end behind an object.
  bool next(LogLine& line);

  [[nodiscard]] bool objects_on_one_line() const { return objects_; }
  [[nodiscard]] const std::optional<base::Error>& error() const { return error_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] Warnings& warnings() { return warnings_; }

 private:
  std::optional<base::Error> fill_to_look();
  bool fill();
  void skip_to_line_end();
  std::string_view take(std::size_t length);
  std::string_view take_long_line(std::size_t length);
  [[nodiscard]] std::string_view unread() const { return std::string_view(buffer_).substr(at_); }

  ByteSource* source_;
  std::unique_ptr<Utf16Source> decoder_;
  std::string buffer_;
  std::size_t at_ = 0;  // what lies before it in the buffer has been given out
  Warnings warnings_;
  std::optional<base::Error> error_;
  std::uint64_t bytes_ = 0;
  std::uint64_t lines_ = 0;
  bool ended_ = false;
  bool skipping_ = false;  // the rest of a long line
  bool objects_ = false;
};

}  // namespace lowtide::ingest

// Cuts the bytes of a log into chunks that end where a line ends, so that several can be parsed at once.
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

// Some text, with kSlack readable bytes behind it. Keeps its memory for the next chunk.
struct Chunk {
  enum class Kind {
    Lines,  // whole lines
    Piece,  // of a line that is too long to be held; the line goes on
    Last,   // whole lines, and perhaps one that has no end
  };

  std::unique_ptr<char[]> bytes;
  std::size_t capacity = 0;
  std::size_t length = 0;
  Kind kind = Kind::Lines;
  bool ends_skipped_line = false;  // a line whose rest was thrown away ended before this text
  bool in_skipped_line = false;    // Last: and one had not ended when the log did
  bool cuts_line = false;          // Piece: the rest of the line is thrown away

  [[nodiscard]] std::string_view text() const { return {bytes.get(), length}; }
  void append(std::string_view text);
  char* room_for(std::size_t more);  // at the end; does not change the length
};

class Chunker {
 public:
  Chunker(ByteSource& source, std::size_t chunk_bytes) : source_(&source), chunk_bytes_(chunk_bytes) {}

  // Reads the first bytes and decides what they are.
  std::optional<base::Error> look();

  // The next chunk; false when there is none any more, or reading failed.
  bool next(Chunk& chunk);

  [[nodiscard]] bool objects_on_one_line() const { return objects_; }
  [[nodiscard]] const std::optional<base::Error>& error() const { return error_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] Warnings& warnings() { return warnings_; }

 private:
  std::optional<base::Error> fill_to_look();
  bool fill(Chunk& chunk);
  bool cut(Chunk& chunk);
  void cut_long_line(Chunk& chunk);
  void keep_rest(Chunk& chunk, std::size_t from);
  void skip_to_line_end(Chunk& chunk);

  ByteSource* source_;
  std::size_t chunk_bytes_;
  std::unique_ptr<Utf16Source> decoder_;
  std::string rest_;  // read, but not yet in a chunk
  Warnings warnings_;
  std::optional<base::Error> error_;
  std::uint64_t bytes_ = 0;
  bool ended_ = false;
  bool done_ = false;
  bool skipping_ = false;
  bool objects_ = false;
};

}  // namespace lowtide::ingest

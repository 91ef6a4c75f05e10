// Parses a log by several threads, in chunks.
//
// What a line means depends on what came before it only through the parser's
// state: the header of the table that goes on, a message that is wrapped over
// lines. It seldom changes, so chunks are parsed at once, each on the guess that
// the state before it is the one known last. Who takes them, in their order,
// knows the true state, and parses a chunk again whose guess was wrong: the
// result is that of one thread.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "ingest/facts.h"
#include "ingest/scan/chunks.h"
#include "ingest/scan/line_parser.h"

namespace lowtide::ingest {

// A chunk and what was found in it.
struct Batch {
  Chunk chunk;
  ParserState before;              // on which it was parsed
  std::uint64_t lines_before = 0;  // as far as it was known then
  ParserState after;
  std::uint64_t lines = 0;
  Facts facts;
};

// Parses all of the chunk; of the last one also the end of the log.
void parse_chunk(LineParser& parser, Batch& batch);

class ParseAhead {
 public:
  ParseAhead(Chunker& chunker, Registry& registry, bool use_shapes, const ParserState& state);
  ~ParseAhead();
  ParseAhead(const ParseAhead&) = delete;
  ParseAhead(ParseAhead&&) = delete;
  ParseAhead& operator=(const ParseAhead&) = delete;
  ParseAhead& operator=(ParseAhead&&) = delete;

  // The next batch in the order of the log, valid until the following call; null at the end. The last
  // one is not parsed: only who takes it knows all it takes to end a log.
  Batch* next();

  // The true state behind the batch that was taken: what chunks are parsed on from now.
  void tell(const ParserState& state);

 private:
  struct Place {
    Batch batch;
    bool ready = false;
  };

  void work(LineParser& parser);
  Batch* begin_next();

  Chunker& chunker_;
  std::array<Place, 8> ring_;
  std::mutex reading_;  // chunks are read one after the other
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint16_t context_;
  std::uint64_t begun_ = 0;
  std::uint64_t taken_ = 0;  // given back by the taker
  bool holding_ = false;
  bool ended_ = false;
  bool stop_ = false;
  std::vector<LineParser> parsers_;   // one for each thread
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace lowtide::ingest

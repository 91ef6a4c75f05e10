#include "ingest/log_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/formats/formats.h"
#include "ingest/runs/assembler.h"
#include "ingest/scan/byte_source.h"
#include "ingest/scan/chunks.h"
#include "ingest/scan/line_parser.h"
#include "ingest/scan/parse_ahead.h"

namespace lowtide::ingest {
namespace {

using base::Error;
using base::ErrorCode;

// Takes the batches in the order of the log, and knows the true state between them.
class LogReading {
 public:
  LogReading(const Chunker& chunker, Sink& sink, const Options& options)
      : parser_(registry_, options.use_shapes), assembler_(sink) {
    if (chunker.objects_on_one_line()) parser_.part_objects();
  }

  // A batch that nobody has parsed.
  void parse_and_take(Batch& batch) {
    batch.before = state_;
    batch.lines_before = lines_;
    parse_chunk(parser_, batch);
    state_ = batch.after;
    take(batch);
  }

  // A batch that was parsed on a guess.
  void check_and_take(Batch& batch) {
    if (!guess_holds(batch)) {
      parse_and_take(batch);
      return;
    }
    batch.facts.lines_before = lines_;
    for (model::Event& event : batch.facts.events) event.line += lines_;
    state_.context = batch.after.context;
    if (batch.after.events.asked()) {
      state_.events = std::move(batch.after.events);
      state_.events.add_lines(lines_);
    }
    take(batch);
  }

  void finish() {
    if (parser_.ignored_cut_number()) {
      warnings_.add("the last line is incomplete: a number that may have been cut off was ignored", lines_);
    }
    assembler_.finish();
  }

  [[nodiscard]] Registry& registry() { return registry_; }
  [[nodiscard]] const ParserState& state() const { return state_; }
  [[nodiscard]] Assembler& assembler() { return assembler_; }
  [[nodiscard]] Warnings& warnings() { return warnings_; }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  [[nodiscard]] bool guess_holds(const Batch& batch) const {
    return batch.chunk.kind != Chunk::Kind::Last && batch.before.context == state_.context &&
           !state_.events.collecting() && (state_.events.idle() || !batch.after.events.asked());
  }

  void take(const Batch& batch) {
    if (batch.chunk.cuts_line) {
      warnings_.add("lines longer than 1 MiB: only their first MiB was read", lines_ + batch.lines + 1);
    }
    lines_ += batch.lines;
    assembler_.consume(batch.facts, registry_);
  }

  Registry registry_;
  LineParser parser_;
  Assembler assembler_;
  ParserState state_;
  Warnings warnings_;
  std::uint64_t lines_ = 0;
};

base::Result<Summary> summarise(LogReading& reading, Chunker& chunker) {
  Assembler& assembler = reading.assembler();
  const std::uint64_t lines = reading.lines();
  if (!assembler.found()) {
    return Error{ErrorCode::Malformed,
                 fmt::format("no memory readings were recognised in {} line{}; lowtide reads {}", lines,
                             lines == 1 ? "" : "s", format_names())};
  }
  Summary summary;
  summary.lines = lines;
  summary.bytes = chunker.bytes();
  summary.readings = assembler.readings();
  std::vector<std::pair<std::uint64_t, std::size_t>> counts;
  for (const Format& format : formats()) {
    const std::uint64_t count = assembler.format_count(format.number);
    if (count > 0 && format.number != NoFormat) counts.emplace_back(count, format.number);
  }
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [count, number] : counts) summary.formats.emplace_back(formats()[number].name);
  if (const auto started = assembler.started()) summary.started = to_rfc3339(*started);
  summary.warnings = assembler.warnings().take();
  for (Warnings* more : {&chunker.warnings(), &reading.warnings()}) {
    for (model::Warning& warning : more->take()) summary.warnings.push_back(std::move(warning));
  }
  return summary;
}

base::Result<Summary> read_source(ByteSource& source, Sink& sink, const Options& options) {
  Chunker chunker(source, options.chunk_bytes);
  if (const auto error = chunker.look()) return *error;
  LogReading reading(chunker, sink, options);
  // The first chunk gives the state with which the others are parsed.
  Batch first;
  bool more = chunker.next(first.chunk);
  if (more) {
    more = first.chunk.kind != Chunk::Kind::Last;
    reading.parse_and_take(first);
  }
  if (more) {
    ParseAhead ahead(chunker, reading.registry(), options.use_shapes, reading.state());
    while (Batch* const batch = ahead.next()) {
      reading.check_and_take(*batch);
      ahead.tell(reading.state());
    }
  }
  if (chunker.error()) return *chunker.error();
  reading.finish();
  return summarise(reading, chunker);
}

}  // namespace

base::Result<Summary> read_log(int fd, Sink& sink, const Options& options) {
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    return Error{ErrorCode::Unsupported, "it is a directory, not a log"};
  }
  FdSource source(fd);
  return read_source(source, sink, options);
}

base::Result<Summary> read_log(const std::string& path, Sink& sink, const Options& options) {
  if (path == "-") return read_log(STDIN_FILENO, sink, options);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    const ErrorCode code = errno == ENOENT   ? ErrorCode::Gone
                           : errno == EACCES ? ErrorCode::Denied
                                             : ErrorCode::Io;
    return Error{code, std::strerror(errno)};  // NOLINT(concurrency-mt-unsafe)
  }
  auto result = read_log(fd, sink, options);
  ::close(fd);
  return result;
}

base::Result<Summary> read_log_text(std::string_view text, Sink& sink, const Options& options) {
  TextSource source(text);
  return read_source(source, sink, options);
}

}  // namespace lowtide::ingest

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
#include "ingest/scan/line_parser.h"
#include "ingest/scan/line_reader.h"

namespace lowtide::ingest {
namespace {

using base::Error;
using base::ErrorCode;

base::Result<Summary> summarise(Assembler& assembler, LineReader& reader) {
  const std::uint64_t lines = reader.lines();
  if (!assembler.found()) {
    return Error{ErrorCode::Malformed,
                 fmt::format("no memory readings were recognised in {} line{}; lowtide reads {}", lines,
                             lines == 1 ? "" : "s", format_names())};
  }
  Summary summary;
  summary.lines = lines;
  summary.bytes = reader.bytes();
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
  for (model::Warning& warning : reader.warnings().take()) summary.warnings.push_back(std::move(warning));
  return summary;
}

base::Result<Summary> read_source(ByteSource& source, Sink& sink, const Options& options) {
  LineReader reader(source);
  if (const auto error = reader.look()) return *error;
  Registry registry;
  LineParser parser(registry, options.use_shapes);
  if (reader.objects_on_one_line()) parser.part_objects();
  Assembler assembler(sink, registry);
  Facts facts;
  LogLine line;
  while (reader.next(line)) {
    facts.clear();
    parser.parse(line, facts);
    assembler.consume(facts);
  }
  if (reader.error()) return *reader.error();
  facts.clear();
  parser.finish(facts);
  assembler.consume(facts);
  assembler.finish();
  if (parser.ignored_cut_number()) {
    reader.warnings().add("the last line is incomplete: a number that may have been cut off was ignored",
                          reader.lines());
  }
  return summarise(assembler, reader);
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

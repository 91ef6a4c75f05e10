#include "cli/input/analyze_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "cli/input/input.h"
#include "cli/output/progress.h"
#include "explain/log/log_analysis.h"
#include "ingest/log_reader.h"

namespace lowtide::cli {
namespace {

// If a log mixes more formats than this, only the most frequent ones are named.
constexpr std::ptrdiff_t kMostFormats = 3;

struct Packer {
  std::string_view words;
  std::string_view tool;
};
constexpr std::array kPackers = {Packer{"compressed by gzip", "zcat"}, Packer{"compressed by xz", "xzcat"},
                                 Packer{"compressed by zstd", "zstdcat"},
                                 Packer{"compressed by bzip2", "bzcat"}};

bool contains(std::string_view text, std::string_view piece) {
  return text.find(piece) != std::string_view::npos;
}

// The reader's error states what it found. This adds the likely cause and a hint.
console::UserError cannot_read_log(const std::string& path, const base::Error& error) {
  const std::string name = input_name(path);
  const std::string what = fmt::format("cannot read {}: {}", name, error.message);
  if (error.code != base::ErrorCode::Malformed)
    return {what, "the system reported an error while reading", "run the command again"};
  if (contains(error.message, "is empty")) return nothing_in(path);
  if (contains(error.message, "no memory readings")) {
    return {
        fmt::format("no memory readings in {}", name), error.message,
        "docs/formats.md lists every format; a line like 'step 10 rss 5552 MB' is enough, and CSV needs a "
        "header line like 'time,rss_mb'"};
  }
  for (const auto& [packer, tool] : kPackers) {
    if (!contains(error.message, packer)) continue;
    return {what, "analyze does not decompress files",
            path == "-" ? fmt::format("... | {} | lowtide analyze -", tool)
                        : fmt::format("{} {} | lowtide analyze -", tool, path)};
  }
  if (contains(error.message, "not text")) {
    return {what, "analyze reads text: logs, CSV, JSON lines, the output of other tools",
            path == "-" ? "pipe uncompressed text, for example: zcat train.log.gz | lowtide analyze -"
                        : fmt::format("file {0}; if it is compressed: zcat {0} | lowtide analyze -", path)};
  }
  return {what, "it contains nothing that lowtide can judge",
          "docs/formats.md lists every format; a line like 'step 10 rss 5552 MB' is enough"};
}

}  // namespace

std::variant<model::Report, console::UserError> analyze_log(const std::string& path,
                                                            std::optional<std::uint64_t> limit_bytes) {
  auto opened = open_input(path);
  if (auto* user_error = std::get_if<console::UserError>(&opened)) return std::move(*user_error);
  const Input& input = std::get<Input>(opened);

  explain::LogAnalysis analysis(limit_bytes);
  auto summary = [&] {
    const Progress progress(input.fd(), input_name(path));
    return ingest::read_log(input.fd(), analysis);
  }();
  if (!summary) return cannot_read_log(path, summary.error());
  const auto& formats = summary.value().formats;

  model::Source source;
  source.type = model::SourceType::Log;
  source.path = path;
  source.format = fmt::format(
      "{}", fmt::join(formats.begin(),
                      formats.begin() + std::min<std::ptrdiff_t>(kMostFormats, std::ssize(formats)), ", "));
  source.started = summary.value().started;
  source.bytes = summary.value().bytes;
  source.lines = summary.value().lines;
  return analysis.finish(std::move(source), std::move(summary.value().warnings));
}

}  // namespace lowtide::cli

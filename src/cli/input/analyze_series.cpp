#include "cli/input/analyze_series.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <variant>

#include "base/text.h"
#include "base/units.h"
#include "cli/input/input.h"
#include "cli/input/line_reader.h"
#include "cli/input/series_line.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "console/user_error.h"
#include "judge/detector.h"
#include "judge/live.h"
#include "show/json/json.h"
#include "show/terminal/layout.h"
#include "show/words.h"

namespace lowtide::cli {
namespace {

// The id without its JSON quotes.
std::string id_words(const std::string& id_json) {
  const auto id = nlohmann::json::parse(id_json, nullptr, false);
  return base::printable(id.is_string() ? id.get<std::string>() : id_json, 60);
}

std::string text_line(const SeriesLine& series, const model::Verdict& verdict) {
  const std::string confidence = show::percent(verdict.confidence);
  return fmt::format("{}  {}  {}  {}\n", show::pad_right(id_words(series.id_json), 32),
                     show::pad_right(model::to_string(verdict.kind), 12), show::pad_left(confidence, 9),
                     base::printable(verdict.reason));
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Counts for the messages at the end and for the exit code.
struct Tally {
  std::uint64_t lines = 0;
  std::uint64_t series = 0;
  std::uint64_t unreadable = 0;
  std::uint64_t ignored_readings = 0;
  std::string first_problem;
  console::ExitCode code = console::ExitCode::NoLeak;

  void refuse(const std::string& problem) {
    ++unreadable;
    if (first_problem.empty()) first_problem = problem;
    code = console::worse_of(code, console::ExitCode::Unreadable);
  }
};

template <typename Judge>
model::Verdict verdict_of(const SeriesLine& series) {
  Judge judge;
  for (const model::Sample& sample : series.samples) judge.add(sample);
  return judge.verdict();
}

std::string judged(const SeriesLine& series, const SeriesOptions& options, Tally& tally) {
  const model::Verdict verdict =
      options.running ? verdict_of<judge::LiveVerdict>(series) : verdict_of<judge::Detector>(series);
  tally.code = console::worse_of(tally.code, console::exit_code_of(verdict.kind));
  tally.ignored_readings += series.ignored;
  ++tally.series;
  return options.as_json ? show::to_json_line(series.id_json, verdict) : text_line(series, verdict);
}

std::string unreadable(const std::string& problem, bool as_json, Tally& tally) {
  const std::string words = fmt::format("line {}: {}", tally.lines, problem);
  tally.refuse(words);
  return as_json ? show::to_json_error_line(words) : "unreadable: " + base::printable(words) + "\n";
}

void print_problems(const Tally& tally, const std::string& path) {
  if (tally.ignored_readings > 0) {
    console::print_warning(
        fmt::format("{} readings were ignored because they are null, not a number, negative or too large",
                    base::format_count(tally.ignored_readings)));
  }
  if (tally.unreadable > 0) {
    console::print_error(
        {fmt::format("{} of {} lines of {} could not be read", base::format_count(tally.unreadable),
                     base::format_count(tally.lines), input_name(path)),
         tally.first_problem,
         R"(write each line like {"id": "a", "t": [0, 1], "step": [1, 2], "rss_mb": [5.0, 5.1]})"});
  }
}

}  // namespace

console::ExitCode analyze_series(const std::string& path, const SeriesOptions& options) {
  auto opened = open_input(path);
  if (const auto* user_error = std::get_if<console::UserError>(&opened)) {
    console::print_error(*user_error);
    return console::ExitCode::Unreadable;
  }
  const Input& input = std::get<Input>(opened);
  struct stat status {};
  // A program that writes to a pipe line by line may wait for each result.
  const bool live = ::fstat(input.fd(), &status) != 0 || !S_ISREG(status.st_mode);

  Output output;
  Tally tally;
  LineReader reader(input.fd());
  LineReader::Status next{};
  {
    const Progress progress(input.fd(), input_name(path));
    while (!output.is_over() && (next = reader.next()) != LineReader::Status::End &&
           next != LineReader::Status::Failed) {
      ++tally.lines;
      std::string_view line = reader.line();
      if (tally.lines == 1 && line.substr(0, 3) == "\xEF\xBB\xBF")
        line.remove_prefix(3);  // a byte order mark
      if (next == LineReader::Status::TooLong) {
        output.write(unreadable(fmt::format("it is longer than {} MiB", LineReader::kLongest >> 20U),
                                options.as_json, tally));
      } else if (is_blank(line)) {
        continue;
      } else if (auto series = parse_series_line(line)) {
        output.write(judged(series.value(), options, tally));
      } else {
        output.write(unreadable(series.error().message, options.as_json, tally));
      }
      if (live) output.flush();
    }
  }
  if (!output.finish()) return console::ExitCode::Unreadable;
  if (next == LineReader::Status::Failed) {
    console::print_error({fmt::format("cannot read {}: {}", input_name(path), std::strerror(reader.error())),
                          fmt::format("reading failed after {} lines", base::format_count(tally.lines)),
                          "run the command again"});
    return console::ExitCode::Unreadable;
  }
  if (tally.series == 0 && tally.unreadable == 0 && !output.is_over()) {
    console::print_error(nothing_in(path));
    return console::ExitCode::Unreadable;
  }
  print_problems(tally, path);
  return tally.code;
}

}  // namespace lowtide::cli

#include "show/export/junit.h"

#include <fmt/format.h>

#include "show/answer_words.h"
#include "show/markup.h"
#include "show/words.h"

namespace lowtide::show {

std::string to_junit(const model::Report& report, const model::Gate& gate) {
  std::size_t failed = 0;
  std::size_t undecided = 0;
  for (const model::RuleResult& result : gate.results) {
    failed += result.outcome == model::Outcome::Broken ? 1 : 0;
    undecided += result.outcome == model::Outcome::Undecided ? 1 : 0;
  }
  const double duration_s = report.source.duration_s.value_or(0);
  const std::string counts = fmt::format(R"(tests="{}" failures="{}" errors="0" skipped="{}" time="{:.3f}")",
                                         gate.results.size(), failed, undecided, duration_s);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"lowtide\" {}>\n", counts);
  out += fmt::format(
      "  <testsuite name=\"lowtide check {}\" {}{}>\n", markup_text(source_name(report.source)), counts,
      report.source.started ? fmt::format(" timestamp=\"{}\"", markup_text(*report.source.started, 40)) : "");
  for (const model::RuleResult& result : gate.results) {
    const std::string open = fmt::format(R"(    <testcase name="{}" classname="lowtide.{}" time="0")",
                                         markup_text(result.rule.words), model::to_string(result.rule.kind));
    const std::string why = markup_text(result.why);
    switch (result.outcome) {
      case model::Outcome::Kept:
        out += fmt::format("{}>\n      <system-out>{}</system-out>\n    </testcase>\n", open, why);
        break;
      case model::Outcome::Broken:
        out +=
            fmt::format("{}>\n      <failure message=\"{}\" type=\"broken\">{}</failure>\n    </testcase>\n",
                        open, why, markup_text(answer_line(report)));
        break;
      case model::Outcome::Undecided:
        out += fmt::format("{}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", open, why);
        break;
    }
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace lowtide::show

#include "base/text.h"
#include "show/compare.h"
#include "show/rows/compare.h"
#include "show/terminal/layout.h"
#include "show/terminal/paint.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

Role role_of_outcome(model::ChangeOutcome outcome) {
  switch (outcome) {
    case model::ChangeOutcome::Better:
      return Role::NoLeak;
    case model::ChangeOutcome::Worse:
      return Role::Leak;
    case model::ChangeOutcome::Same:
    case model::ChangeOutcome::Open:
      break;
  }
  return Role::Unsure;
}

class ComparisonText {
 public:
  ComparisonText(const model::Comparison& comparison, const TextOptions& options)
      : comparison_(comparison), options_(options), paint_(options.colour) {}

  std::string write() {
    out_ = paint_(role_of_outcome(comparison_.outcome), base::printable(headline(comparison_), 400)) + "\n";
    line("before  " + source_name(comparison_.before.source));
    line("after   " + source_name(comparison_.after.source));
    line(alignment(comparison_));
    if (options_.brief) return out_;
    section("what changed", {"", "before", "after", ""}, value_rows(comparison_));
    section("of what it is made", {"", "before", "after", ""}, part_rows(comparison_));
    section("findings", {}, finding_rows(comparison_));
    return out_;
  }

 private:
  void line(const std::string& text) { out_ += "  " + base::printable(text, 1000) + "\n"; }

  void section(const std::string& title, const Row& head, std::vector<Row> rows) {
    if (rows.empty()) return;
    out_ += "\n" + paint_(Role::Heading, title) + "\n";
    for (Row& row : rows) {
      for (std::string& cell : row) cell = base::printable(cell, 400);
    }
    if (!head.empty()) rows.insert(rows.begin(), head);
    constexpr std::size_t kWidest = 44;
    for (const std::string& each : table(rows, options_.width - 2, kWidest)) out_ += "  " + each + "\n";
  }

  const model::Comparison& comparison_;
  const TextOptions& options_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string to_text(const model::Comparison& comparison, const TextOptions& options) {
  return ComparisonText(comparison, options).write();
}

}  // namespace lowtide::show

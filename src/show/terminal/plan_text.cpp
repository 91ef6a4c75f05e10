#include "base/text.h"
#include "show/plan.h"
#include "show/rows/plan.h"
#include "show/terminal/layout.h"
#include "show/terminal/paint.h"

namespace lowtide::show {
namespace {

class PlanText {
 public:
  PlanText(const model::Plan& plan, const TextOptions& options)
      : plan_(plan), options_(options), paint_(options.colour) {}

  std::string write() {
    for (const std::string& line : wrap(headline(plan_), options_.width)) {
      out_ += paint_(Role::Heading, base::printable(line)) + "\n";
    }
    rows(fact_rows(plan_));
    if (options_.brief) return out_;
    section("of what it is made", part_head(plan_), part_rows(plan_));
    section("what to try next, by what it buys", knob_head(plan_), knob_rows(plan_));
    section("what is assumed", {}, assumption_rows(plan_));
    return out_;
  }

 private:
  void section(const std::string& title, const Row& head, std::vector<Row> lines) {
    if (lines.empty()) return;
    out_ += "\n" + paint_(Role::Heading, title) + "\n";
    if (!head.empty()) lines.insert(lines.begin(), head);
    rows(std::move(lines));
  }

  void rows(std::vector<Row> lines) {
    for (Row& row : lines) {
      for (std::string& each : row) each = base::printable(each, 400);
    }
    constexpr std::size_t kWidest = 44;
    for (const std::string& each : table(lines, options_.width - 2, kWidest)) out_ += "  " + each + "\n";
  }

  const model::Plan& plan_;
  const TextOptions& options_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string to_text(const model::Plan& plan, const TextOptions& options) {
  return PlanText(plan, options).write();
}

}  // namespace lowtide::show

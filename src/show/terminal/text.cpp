#include "show/terminal/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "show/document/report_sections.h"
#include "show/document/writers.h"
#include "show/terminal/layout.h"
#include "show/terminal/plot.h"
#include "show/terminal/small_plot.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

constexpr std::size_t kMostTextBytes = 2000;

Role role_of_severity(model::Severity severity) {
  if (severity <= model::Severity::High) return Role::Leak;
  return severity == model::Severity::Medium ? Role::Unsure : Role::Dim;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

class TextWriter {
 public:
  TextWriter(const Document& document, const TextOptions& options)
      : document_(document),
        options_(options),
        paint_(options.colour),
        width_(std::min(options.width, document.widest_line)) {}

  // As much as fits: plots get lower, then facts have fewer values.
  std::string write() && {
    std::string whole;
    for (const Fit& fit : {Fit{.plot_rows = 5}, Fit{.plot_rows = 4}, Fit{.plot_rows = 3}, Fit{},
                           Fit{.more_values = 1}, Fit{.more_values = 0}}) {
      fit_ = fit;
      whole = write_once();
      if (static_cast<std::size_t>(std::ranges::count(whole, '\n')) <= document_.most_lines) break;
    }
    return whole;
  }

 private:
  struct Fit {
    std::size_t plot_rows = 0;           // of small plots
    std::size_t more_values = SIZE_MAX;  // of a fact, after its first
  };

  std::string write_once() {
    std::string whole;
    for (const Section& section : document_.sections) {
      if (options_.brief && !section.is_brief) continue;
      out_.clear();
      for (const Block& block : section.blocks) {
        std::visit([this](const auto& one) { (one.in & kText) != 0 ? add(one) : void(); }, block);
      }
      if (out_.empty() && (!section.blocks.empty() || section.label.empty())) continue;
      if (!whole.empty() && !section.follows) whole += '\n';
      if (!section.label.empty()) {
        for (const std::string& each : wrap(clean(section.label), width_))
          whole += paint_(Role::Heading, each) + "\n";
      }
      whole += out_;
    }
    return whole;
  }

  [[nodiscard]] std::string clean(std::string_view text) const {
    std::string out = base::printable(text, kMostTextBytes);
    if (options_.unicode) return out;
    replace_all(out, "→", "->");
    replace_all(out, "±", "+-");
    return out;
  }

  void line(std::string_view text) { out_.append(text).push_back('\n'); }

  // Wrapped, with `first` before the first line and `columns` blanks before the others.
  void wrapped(const std::string& first, std::size_t columns, std::string_view text, std::size_t width,
               Role role = Role::Plain) {
    std::string before = first;
    for (const std::string& each : wrap(clean(text), width)) {
      line(before + paint_(role, each));
      before = std::string(columns, ' ');
    }
  }
  void wrapped(std::size_t columns, std::string_view text, std::size_t width, Role role = Role::Plain) {
    wrapped(std::string(columns, ' '), columns, text, width, role);
  }

  // The label has its own role, the rest is a heading.
  void heading(const Answer& answer, const std::string& words, const std::string& after = "") {
    const std::size_t head = std::min(clean(answer.label).size(), words.size());
    line(paint_(answer.role, words.substr(0, head)) + paint_(Role::Heading, words.substr(head)) + after);
  }

  void add(const Answer& answer) {
    const std::string label = clean(answer.label);
    const std::string gap = label.empty() || answer.words.empty() ? "" : "  ";
    const auto with_label = [&](const std::string& words) { return label + gap + clean(words); };
    std::string words = with_label(answer.words);
    if (answer.is_one_line) return heading(answer, cut(words, width_));
    if (!answer.more.empty()) {
      std::string right = clean(fmt::format("{}", fmt::join(answer.more, "  ")));
      const auto fits = [&] { return display_width(words) + 1 + display_width(right) <= width_; };
      if (!fits()) words = with_label(answer.short_words);
      if (!fits()) replace_all(right, "  ", " ");
      if (fits()) {
        const std::string blanks(width_ - display_width(words) - display_width(right), ' ');
        return heading(answer, words, blanks + paint_(Role::Heading, right));
      }
      if (display_width(words) <= width_) {
        heading(answer, words);
        line(paint_(Role::Heading, pad_left(right, width_)));
        return;
      }
      words += "  " + right;
    }
    if (display_width(words) <= width_) return heading(answer, words);
    std::size_t role_bytes = label.size();
    for (const std::string& each : wrap(words, width_)) {
      const std::size_t head = std::min(role_bytes, each.size());
      line(paint_(answer.role, each.substr(0, head)) + paint_(Role::Heading, each.substr(head)));
      role_bytes -= std::min(role_bytes, head + 1);
    }
  }

  void add(const Paragraph& paragraph) {
    const std::size_t indent = paragraph.is_indented ? 2 : 0;
    wrapped(indent, paragraph.text, width_ - indent, paragraph.role);
  }

  // Places in the code may be long, and would leave little room for sentences: these have their own column.
  void add(const Facts& facts) {
    constexpr std::size_t kWidestShared = 16;
    constexpr std::size_t kLeastRoom = 24;
    std::size_t places = 0;
    std::size_t others = 0;
    for (const Fact& fact : facts.facts) {
      if ((fact.in & kText) == 0) continue;
      std::size_t& widest = fact.is_code ? places : others;
      widest = std::max(widest, fact.name.size());
    }
    if (places <= kWidestShared) places = others = std::max(places, others);
    for (const Fact& fact : facts.facts) {
      if ((fact.in & kText) == 0) continue;
      const std::size_t names = fact.is_code ? places : others;
      const std::size_t room = std::max(width_ - 2, names + 2 + kLeastRoom) - names - 2;
      if (fact.name.empty()) {
        wrapped(2, fact.value, width_ - 2);
      } else {
        const std::string blanks(names + 2 - fact.name.size(), ' ');
        const std::string first = "  " + paint_(Role::Dim, fact.name) + blanks;
        if (fact.is_code) {
          code_line(first, fact, room);
        } else {
          wrapped(first, names + 4, fact.value, room);
        }
        for (std::size_t at = 0; at < std::min(fact.more.size(), fit_.more_values); ++at)
          wrapped(names + 4, fact.more[at], room);
      }
    }
  }

  void code_line(const std::string& before, const Fact& fact, std::size_t room) {
    line(before + cut(clean(fact.value), room));
  }

  [[nodiscard]] std::vector<std::string> lines_of(const Table& block, const Grid& grid) const {
    std::vector<std::vector<std::string>> cells;
    if (block.has_head_in_text) cells.push_back(grid.head);
    for (std::size_t at = 0; at < grid.rows.size(); ++at) {
      std::vector<std::string>& row = cells.emplace_back();
      for (const std::string& cell : grid.rows[at].cells) row.push_back(cell == kNoValue ? "-" : clean(cell));
      if (grid.gap != at) continue;
      row.front() = "...";
      row.back() += block.left_out > 0 ? " (--json lists more)" : " (--json lists all)";
    }
    return table(cells, width_ - (block.is_indented ? 2 : 0), document_.widest_cell);
  }

  static bool is_too_wide(const std::vector<std::string>& lines, std::size_t width) {
    return std::ranges::any_of(lines, [&](const std::string& each) { return display_width(each) > width; });
  }

  void add(const Table& block) {
    const std::string indent(block.is_indented ? 2 : 0, ' ');
    Grid grid = grid_of(block, kText, width_);
    if (grid.rows.empty()) return;
    std::vector<std::string> lines = lines_of(block, grid);
    // Of a table that is too wide, the column that needs the widest terminal is left out.
    for (std::size_t room = width_; is_too_wide(lines, width_ - indent.size());) {
      std::size_t widest = 0;
      for (const TableColumn& column : block.columns) {
        if ((column.in & kText) != 0 && column.least_width <= room)
          widest = std::max(widest, column.least_width);
      }
      if (widest == 0) break;
      room = widest - 1;
      grid = grid_of(block, kText, room);
      lines = lines_of(block, grid);
    }
    bool is_head = block.has_head_in_text;
    for (const std::string& each : lines) {
      line(indent + (is_head ? paint_(Role::Dim, each) : each));
      is_head = false;
    }
    if (grid.after > 0) line(fmt::format("  and {} more (--json lists all)", grid.after));
  }

  void add(const List& list) {
    for (const Item& item : list.items) wrapped("  - ", 4, item.text, width_ - 4);
  }

  void add(const Entries& entries) {
    for (const Entry& entry : entries.entries) {
      const std::string head = clean(entry.head);
      const std::string verdict = clean(entry.verdict);
      if (display_width(head) + display_width(verdict) <= width_) {
        line(head + paint_(entry.role, verdict));
      } else {
        line(cut(head.substr(0, head.find_last_not_of(' ') + 1), width_));
        line(std::string(entries.indent, ' ') + paint_(entry.role, cut(verdict, width_ - entries.indent)));
      }
      for (const Entry::Detail& detail : entry.details) {
        if (detail.mark.empty()) {
          wrapped(entries.indent, detail.text, width_ - entries.indent, detail.role);
        } else {
          line(std::string(entries.indent - detail.mark.size(), ' ') + detail.mark +
               paint_(detail.role, cut(clean(detail.text), width_ - entries.indent)));
        }
      }
    }
  }

  void add(const Claims& block) {
    constexpr std::size_t kMost = 12;
    const std::size_t shown = std::min(block.claims.size(), kMost);
    for (std::size_t at = 0; at < shown; ++at) add(block.claims[at]);
    if (block.claims.size() > shown)
      line(fmt::format("  and {} more (--json lists all)", block.claims.size() - shown));
  }

  void add(const Claim& claim) {
    constexpr std::size_t kIndent = 12;
    constexpr std::size_t kMostClaimBytes = 400;
    const auto text_of = [](const std::string& text) { return base::printable(text, kMostClaimBytes); };
    const std::string severity = pad_right(model::to_string(claim.severity), kIndent - 2);
    wrapped("  " + paint_(role_of_severity(claim.severity), severity), kIndent, text_of(claim.title),
            width_ - kIndent);
    for (const Claim::Part& part : claim.parts) {
      if ((part.in & kText) == 0) continue;
      const std::size_t indent = kIndent + part.label.size();
      for (const std::string& text : part.texts)
        wrapped(std::string(kIndent, ' ') + part.label, indent, text_of(text), width_ - indent - 2);
    }
  }

  void add(const Plot& block) {
    constexpr std::size_t kWidest = 120;
    if (!options_.plot) return;
    if (block.is_small) {
      constexpr std::size_t kLeastRows = 3;
      if (block.is_optional && fit_.plot_rows == 0) return;
      const SmallPlotOptions small{std::min(width_, kWidest), options_.unicode,
                                   std::max(fit_.plot_rows, kLeastRows)};
      for (const Line& each : small_plot(*block.series, small)) line(paint_(each));
      return;
    }
    PlotOptions options;
    options.width = std::min(options_.width, kWidest);
    options.unicode = options_.unicode;
    options.axis = block.series->verdict.axis;
    options.warmup_end = block.series->verdict.warmup_end;
    options.limit_bytes = block.limit_bytes;
    for (const Line& each : plot(block.series->outline, options)) line(paint_(each));
  }

  const Document& document_;
  const TextOptions& options_;
  Paint paint_;
  std::size_t width_;
  Fit fit_;
  std::string out_;  // of the section
};

}  // namespace

std::string write_text(const Document& document, const TextOptions& options) {
  return TextWriter(document, options).write();
}

std::string to_text(const model::Report& report, const TextOptions& options) {
  if (!options.all && !options.stacks) return write_text(short_report_document(report), options);
  return write_text(report_document(report, options.stacks), options);
}

std::string to_text_title(const model::Report& report, const TextOptions& options) {
  return Paint(options.colour)(Role::Heading, source_name(report.source) + ":") + "\n";
}

}  // namespace lowtide::show

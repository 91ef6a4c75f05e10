#include "show/markdown/markdown_writer.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "show/markdown/markdown.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

constexpr std::size_t kMostMarkdownBytes = 2000;

std::string escaped(std::string_view text) {
  return markdown_text(text, kMostMarkdownBytes);
}

std::string prose(const std::string& text) {
  return escaped(sentence(text));
}

std::string strong_if(bool is_strong, const std::string& text) {
  return is_strong ? "**" + text + "**" : text;
}

class MarkdownWriter {
 public:
  explicit MarkdownWriter(const Document& document) : document_(document) {}

  std::string write() && {
    if (!document_.title.empty()) out_ = "# " + escaped(document_.title) + "\n";
    for (const Section& section : document_.sections) {
      const std::string before = std::exchange(out_, "");
      for (const Block& block : section.blocks) {
        std::visit([this](const auto& one) { (one.in & kMarkdown) != 0 ? add(one) : void(); }, block);
      }
      const std::string body = std::exchange(out_, before);
      if (body.empty()) continue;
      gap();
      if (!section.title.empty()) out_ += "## " + escaped(section.title) + "\n\n";
      out_ += body;
    }
    return std::move(out_);
  }

 private:
  // A blank line before what follows.
  void gap() {
    if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
  }

  void row(const std::vector<std::string>& cells, std::optional<std::size_t> strong = {}) {
    out_ += '|';
    for (std::size_t at = 0; at < cells.size(); ++at)
      out_ += " " + strong_if(strong == at, escaped(cells[at])) + " |";
    out_ += '\n';
  }

  void head(const std::vector<std::string>& names) {
    gap();
    row(names);
    out_ += '|';
    for (std::size_t at = 0; at < names.size(); ++at) out_ += "---|";
    out_ += '\n';
  }

  void add(const Answer& answer) {
    gap();
    out_ += strong_if(true, prose(answer.words));
    if (answer.confidence) out_ += fmt::format(" Confidence {}.", percent(*answer.confidence));
    out_ += '\n';
  }

  void add(const Paragraph& paragraph) {
    gap();
    out_ += strong_if(paragraph.is_strong, prose(paragraph.text)) + "\n";
  }

  void add(const Facts& facts) {
    if (facts.is_table) head({"What", "Value"});
    for (const Fact& fact : facts.facts) {
      if ((fact.in & kMarkdown) == 0) continue;
      if (facts.is_table) {
        row({fact.name, fact.value});
      } else {
        out_ += "- " + escaped(fact.name + (fact.name.empty() ? "" : ": ") + fact.value) + "\n";
      }
    }
  }

  void add(const Table& table) {
    const Grid grid = grid_of(table, kMarkdown);
    if (grid.rows.empty()) return;
    std::vector<std::string> names;
    for (const std::string& name : grid.head) names.push_back(title_of(name));
    head(names);
    for (const TableRow& one : grid.rows) row(one.cells, one.strong_cell);
    if (grid.after > 0) out_ += fmt::format("\n{} more are in the JSON.\n", grid.after);
  }

  void add(const List& list) {
    if (list.items.empty()) return;
    gap();
    if (!list.title.empty()) out_ += "### " + escaped(list.title) + "\n\n";
    for (std::size_t at = 0; at < list.items.size(); ++at) {
      const Item& item = list.items[at];
      out_ += list.is_numbered ? fmt::format("{}. ", at + 1) : "- ";
      out_ += strong_if(item.is_strong, list.is_prose ? prose(item.text) : escaped(item.text));
      for (const std::string& text : item.more) out_ += " " + prose(text);
      out_ += '\n';
    }
  }

  void add(const Findings& findings) {
    for (const model::Finding* finding : findings.findings) {
      gap();
      out_ += "### " + markdown_text(sentence(finding->title)) + "\n\n";
      out_ += fmt::format("Severity {}, confidence {}", model::to_string(finding->severity),
                          percent(finding->confidence));
      if (finding->share) out_ += fmt::format(", {} of the growth", percent(*finding->share));
      if (finding->mechanism) out_ += fmt::format(", mechanism: {}", model::to_string(*finding->mechanism));
      out_ += ".\n\n";
      for (const std::string& text : finding->evidence) out_ += "- " + markdown_text(sentence(text)) + "\n";
    }
  }

  void add(const Entries& /*block*/) {}
  void add(const Plot& /*block*/) {}

  const Document& document_;
  std::string out_;
};

}  // namespace

std::string write_markdown(const Document& document) {
  return MarkdownWriter(document).write();
}

}  // namespace lowtide::show

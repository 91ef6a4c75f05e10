#include "show/markdown/markdown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/text.h"
#include "show/document/report_sections.h"
#include "show/document/writers.h"
#include "show/markup.h"
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
    const std::string gap = answer.label.empty() || answer.words.empty() ? "" : ": ";
    out_ += "**" + escaped(answer.label + gap + answer.words) + "**";
    if (!answer.more.empty()) out_ += escaped(fmt::format(" ({})", fmt::join(answer.more, ", ")));
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
    if (!list.note.empty()) out_ += "\n" + prose(list.note) + "\n";
  }

  void add(const Claims& block) {
    for (const Claim& claim : block.claims) {
      gap();
      out_ += "### " + markdown_text(sentence(claim.title)) + "\n\n";
      std::string facts;
      for (const Fact& fact : claim.facts) {
        if ((fact.in & kMarkdown) != 0) facts += (facts.empty() ? "" : ", ") + fact.value;
      }
      out_ += prose(facts) + "\n\n";
      for (const Claim::Part& part : claim.parts) {
        if ((part.in & kMarkdown) == 0) continue;
        for (const std::string& text : part.texts) out_ += "- " + markdown_text(sentence(text)) + "\n";
      }
    }
  }

  void add(const Entries& /*block*/) {}
  void add(const Plot& /*block*/) {}

  const Document& document_;
  std::string out_;
};

}  // namespace

std::string markdown_text(std::string_view text, std::size_t max_bytes) {
  constexpr std::string_view kMarkup = "\\`*_[]|#!~$";
  std::string out;
  const std::string clean = base::printable(text, max_bytes);
  for (std::string_view left = clean; !left.empty();) {
    // The forges make links of "://" and "www." by themselves, and mentions of '@'.
    const bool is_www = left.starts_with("www.");
    const char c = left.front();
    if (is_www) {
      out += "www&#46;";
    } else if (left.starts_with("://")) {
      out += "&#58;";
    } else if (c == '@') {
      out += "&#64;";
    } else if (c == '&' || c == '<' || c == '>') {
      out += entity_of(c);
    } else {
      if (kMarkup.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
    left.remove_prefix(is_www ? 4 : 1);
  }
  return out;
}

std::string to_markdown(const model::Report& report) {
  return write_markdown(report_document(report));
}

std::string write_markdown(const Document& document) {
  return MarkdownWriter(document).write();
}

}  // namespace lowtide::show

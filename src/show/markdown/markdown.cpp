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
  return markdown_sentence(sentence(text), kMostMarkdownBytes);
}

// A line of code; as text where it has backticks of its own.
std::string code_span(const std::string& code) {
  const std::string clean = base::printable(code, kMostMarkdownBytes);
  return clean.empty() || clean.find('`') != std::string::npos ? escaped(code) : "`" + clean + "`";
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
        const std::string value =
            fact.is_code ? code_span(fact.value) : markdown_sentence(fact.value, kMostMarkdownBytes);
        out_ += "- " + escaped(fact.name + (fact.name.empty() ? "" : ": ")) + value + "\n";
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
      out_ += "### " + markdown_sentence(sentence(claim.title)) + "\n\n";
      std::string facts;
      for (const Fact& fact : claim.facts) {
        if ((fact.in & kMarkdown) != 0) facts += (facts.empty() ? "" : ", ") + fact.value;
      }
      out_ += prose(facts) + "\n\n";
      for (const Claim::Part& part : claim.parts) {
        if ((part.in & kMarkdown) == 0) continue;
        for (const std::string& text : part.texts) out_ += "- " + markdown_sentence(sentence(text)) + "\n";
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

// In a code span nothing is markup, and only a backtick ends it: what stands between two has none. A pair
// that touches another backtick stays text, because two in a row are another delimiter.
std::string markdown_sentence(std::string_view text, std::size_t max_bytes) {
  const std::string clean = base::printable(text, max_bytes);
  std::string out;
  std::size_t done = 0;
  std::size_t begin = clean.find('`');
  while (begin != std::string::npos) {
    const std::size_t end = clean.find('`', begin + 1);
    if (end == std::string::npos) break;
    const bool touches = end == begin + 1 || (begin > 0 && clean[begin - 1] == '`') ||
                         (end + 1 < clean.size() && clean[end + 1] == '`');
    if (!touches) {
      out += markdown_text(std::string_view(clean).substr(done, begin - done), max_bytes);
      out += clean.substr(begin, end + 1 - begin);
      done = end + 1;
    }
    begin = clean.find('`', end + 1);
  }
  return out + markdown_text(std::string_view(clean).substr(done), max_bytes);
}

std::string to_markdown(const model::Report& report) {
  return write_markdown(report_document(report));
}

std::string write_markdown(const Document& document) {
  return MarkdownWriter(document).write();
}

}  // namespace lowtide::show

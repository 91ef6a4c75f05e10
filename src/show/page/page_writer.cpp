#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "show/document/writers.h"
#include "show/markup.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

std::string html_of(const Claim::Part& part) {
  std::string out;
  switch (part.form) {
    case Claim::Form::Sentence:
      return markup_sentence(sentence(part.texts.front()));
    case Claim::Form::Code:
      return "<pre>" + markup_lines(part.texts.front()) + "</pre>";
    case Claim::Form::List:
      for (const std::string& text : part.texts) out += "<li>" + markup_sentence(sentence(text)) + "</li>\n";
      return "<ul>\n" + out + "</ul>";
    case Claim::Form::Place:
      for (std::size_t at = 0; at < part.texts.size(); ++at) {
        const std::string text = markup_text(part.texts[at]);
        out += at % 2 == 0 && !text.empty() ? "<code>" + text + "</code>" : text;
      }
      return out;
  }
  return out;
}

std::string article(const Claim& claim) {
  std::string facts;
  for (const Fact& fact : claim.facts) {
    if ((fact.in & kPage) != 0) facts += "<span>" + markup_text(fact.value) + "</span>";
  }
  std::string out = fmt::format(
      "<article class=\"finding {0}\">\n<p class=\"eyebrow\"><b "
      "class=\"severity\">{0}</b>{1}</p>\n<h3>{2}</h3>\n<dl>\n",
      model::to_string(claim.severity), facts, markup_sentence(sentence(claim.title)));
  for (const Claim::Part& part : claim.parts) {
    if ((part.in & kPage) != 0) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", part.name, html_of(part));
  }
  return out + "</dl>\n</article>\n";
}

class PageWriter {
 public:
  std::string write(const Section& section) && {
    title_ = section.title;
    for (const Block& block : section.blocks) {
      std::visit([this](const auto& one) { (one.in & kPage) != 0 ? add(one) : void(); }, block);
    }
    return std::move(out_);
  }

 private:
  void add(const Answer& answer) {
    out_ += fmt::format(R"(<p class="eyebrow"><b class="kind">{}</b>)", markup_text(answer.label));
    for (const std::string& more : answer.more) out_ += "<span>" + markup_text(more) + "</span>";
    out_ += "</p>\n<h2>" + markup_text(answer.words) + "</h2>\n";
  }

  void add(const Paragraph& paragraph) {
    out_ += "<p class=\"reason\">" + markup_sentence(sentence(paragraph.text)) + "</p>\n";
  }

  void add(const Facts& facts) {
    out_ += fmt::format("<dl class=\"{}\">\n", facts.is_table ? "figures" : "cause");
    for (const Fact& fact : facts.facts) {
      if ((fact.in & kPage) == 0) continue;
      const std::string value = fact.is_code ? markup_text(fact.value) : markup_sentence(fact.value);
      out_ += fmt::format("<div><dt>{}</dt><dd>{}</dd>", markup_text(fact.name),
                          fact.is_code ? "<code>" + value + "</code>" : value);
      if (!fact.note.empty()) out_ += "<dd class=\"note\">" + markup_text(fact.note) + "</dd>";
      out_ += "</div>\n";
    }
    out_ += "</dl>\n";
  }

  void add(const Table& table) {
    const Grid grid = grid_of(table, kPage);
    if (grid.rows.empty()) return;
    // It scrolls sideways on a narrow screen. Without a tabindex the keyboard could not scroll it.
    out_ += fmt::format(R"(<div class="scroll"{} role="region" tabindex="0" aria-label="{}">)",
                        table.id.empty() ? "" : fmt::format(R"( id="{}")", table.id),
                        title_.empty() ? "Table" : markup_text(title_));
    out_ += "<table>\n<thead><tr>";
    for (const std::string& name : grid.head)
      out_ += "<th scope=\"col\">" + markup_text(title_of(name)) + "</th>";
    out_ += "</tr></thead>\n<tbody>\n";
    for (const TableRow& row : grid.rows) {
      out_ += "<tr>";
      for (const std::string& cell : row.cells) out_ += "<td>" + markup_text(cell) + "</td>";
      out_ += "</tr>\n";
    }
    out_ += "</tbody></table></div>\n";
    if (grid.after > 0)
      out_ += fmt::format("<p class=\"note\">{} more are in the JSON report.</p>\n", grid.after);
  }

  void add(const List& list) {
    if (list.items.empty()) return;
    out_ += "<ul class=\"plain\">\n";
    for (const Item& item : list.items) {
      const std::string text = markup_sentence(sentence(item.text));
      out_ += "<li>" + (item.is_strong ? "<b>" + text + "</b>" : text);
      for (const std::string& more : item.more) out_ += " " + markup_sentence(sentence(more));
      out_ += "</li>\n";
    }
    out_ += "</ul>\n";
  }

  void add(const Claims& block) {
    for (const Claim& claim : block.claims) out_ += article(claim);
  }

  void add(const Entries& /*block*/) {}
  void add(const Plot& /*block*/) {}

  std::string title_;
  std::string out_;
};

}  // namespace

std::string page_blocks(const Section& section) {
  return PageWriter().write(section);
}

std::string page_section(const Section& section) {
  const std::string body = page_blocks(section);
  if (body.empty()) return "";
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", section.id,
                     markup_text(section.title), body);
}

}  // namespace lowtide::show

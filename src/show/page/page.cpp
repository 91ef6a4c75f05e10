#include "show/page/page.h"

#include "show/markup.h"
#include "show/page/fill_template.h"
#include "show/page/summary.h"

namespace lowtide::show {
namespace {

// Fills the template from left to right, so that a mark within a text that was put in stays text.
class Filling {
 public:
  explicit Filling(std::string_view page) : rest_(page) {}

  void put(std::string_view mark, std::string_view text) {
    const std::size_t at = rest_.find(mark);
    if (at == std::string_view::npos) return;
    out_ += rest_.substr(0, at);
    out_ += text;
    rest_.remove_prefix(at + mark.size());
  }
  std::string finish() && { return std::move(out_.append(rest_)); }

 private:
  std::string_view rest_;
  std::string out_;
};

}  // namespace

std::string fill_template(std::string_view page, std::string_view title, std::string_view summary,
                          const PageContents& contents) {
  Filling filling(page);
  // Only a page of a running job fetches anything: itself, from the server that it came from.
  filling.put("<!--lowtide:connect-->", contents.again_s ? "'self'" : "'none'");
  filling.put("<!--lowtide:title-->", title);
  filling.put("<!--lowtide:summary-->", summary);
  filling.put("<!--lowtide:data-->", json_for_script(page_data(contents)));
  return std::move(filling).finish();
}

std::string to_page(std::string_view page, const PageContents& contents) {
  return fill_template(page, page_title(contents.report), page_summary(contents.report), contents);
}

}  // namespace lowtide::show

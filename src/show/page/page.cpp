#include "show/page/page.h"

#include "show/markup.h"
#include "show/page/summary.h"

namespace lowtide::show {
namespace {

// Goes through the template from left to right, so that a mark within what was put in is only text.
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

std::string to_page(std::string_view page, const PageContents& contents) {
  Filling filling(page);
  filling.put("<!--lowtide:title-->", page_title(contents.report));
  filling.put("<!--lowtide:summary-->", page_summary(contents.report));
  filling.put("<!--lowtide:data-->", json_for_script(page_data(contents)));
  return std::move(filling).finish();
}

}  // namespace lowtide::show

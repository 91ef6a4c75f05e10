#include "show/json/sites.h"

#include <utility>

namespace lowtide::show {

Json sites_json(const model::Report& report) {
  Json list = Json::array();
  for (const model::SiteReport& site : report.sites) {
    Json frames = Json::array();
    for (const model::Frame& frame : site.frames) {
      frames.push_back({{"language", model::to_string(frame.language)},
                        {"function", text_or_null(frame.function)},
                        {"file", text_or_null(frame.file)},
                        {"line", frame.line > 0 ? Json(frame.line) : Json(nullptr)},
                        {"module", text_or_null(frame.module)}});
    }
    list.push_back({{"pid", site.pid},
                    {"verdict", to_json(site.verdict)},
                    {"live_bytes", site.live_bytes},
                    {"growth_bytes", site.growth_bytes},
                    {"error_bytes", site.error_bytes},
                    {"share", site.share ? share(*site.share) : Json(nullptr)},
                    {"live_samples", site.live_samples},
                    {"allocated_bytes", site.allocated_bytes},
                    {"stacks", site.stacks},
                    {"act_on", site.frames.empty() ? Json(nullptr) : Json(site.act_on)},
                    {"native_function", text_or_null(site.native_function)},
                    {"frames", std::move(frames)},
                    {"cut", site.cut}});
  }
  return list;
}

}  // namespace lowtide::show

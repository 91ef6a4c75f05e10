#pragma once

#include "model/report.h"
#include "show/json/texts.h"
#include "show/json/values.h"

namespace lowtide::show {

// The report as a part of another document.
struct ReportPart {
  const model::Report& report;
  [[nodiscard]] Json json() const;
  static TypeText type();
};

}  // namespace lowtide::show

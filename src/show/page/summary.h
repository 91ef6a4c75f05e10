// The part of the page that needs no script: verdict, figures, findings, events, processes.
#pragma once

#include <string>

#include "model/report.h"

namespace lowtide::show {

// The title of the page: "Memory of python train.py"; escaped.
std::string page_title(const model::Report& report);

// HTML; every text of the target is escaped.
std::string page_summary(const model::Report& report);

}  // namespace lowtide::show

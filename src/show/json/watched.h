// The parts of the JSON report that only a watched job has.
#pragma once

#include "model/gate.h"
#include "model/report.h"
#include "show/json/values.h"

namespace lowtide::show {

Json watched_processes(const model::Report& report);
Json watched_growth(const model::Report& report);
Json watched_gpus(const model::Report& report);
Json phases(const model::Report& report);
Json to_json(const model::Finding& finding);
Json findings(const model::Report& report);
Json overhead(const model::Report& report);
Json gate_json(const model::Gate& gate);

// What is in no report of a log: the tree's own figures, where the cgroup's memory went, how it ended.
void add_watched(Json& json, const model::Report& report);

}  // namespace lowtide::show

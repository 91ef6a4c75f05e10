// The functions of the table in formats.cpp, one for each kind of line. Each fills the plan and returns true
// if the line is of its kind.
#pragma once

#include <cstddef>
#include <string_view>

#include "ingest/formats/shape_plan.h"

namespace lowtide::ingest {

// text_line.cpp: words and numbers, as programs print for people: the words beside a number say what it is.
// There is memory, a step, an epoch or a writer's pid in it.
bool analyse_text(const Line& line, ShapePlan& plan);

// line_prefix.cpp: time, rank and pid before the message itself, e.g. "[rank0]:[titan] 2026-05-18
// 16:04:46,338 - ". Returns where the message begins.
std::size_t take_prefix(std::string_view shape, ShapePlan& plan);

// dict_line.cpp: a JSON object or a printed Python dict on one line, or one member of an object that is
// spread over lines.
bool analyse_dict(const Line& line, ShapePlan& plan);

// table_header.cpp: the header of a table: CSV, nvidia-smi, ps, top, pidstat, psrecord, docker stats. The
// plan switches to the context in which the rows are understood.
bool analyse_header(const Line& line, ShapePlan& plan);

// table_row.cpp: a row of the table whose header was seen last.
bool analyse_row(const Line& line, ShapePlan& plan);

// nvidia_line.cpp: what nvidia-smi and torch print about a GPU without a header that names columns.
bool analyse_nvidia_table(const Line& line, ShapePlan& plan);
bool analyse_nvidia_bare(const Line& line, ShapePlan& plan);
bool analyse_memory_summary(const Line& line, ShapePlan& plan);

// sampler_line.cpp: tools that sample memory from outside and have no table header of their own.
bool analyse_watch(const Line& line, ShapePlan& plan);  // also top's first line and a `date` alone
bool analyse_mprof(const Line& line, ShapePlan& plan);
bool analyse_free(const Line& line, ShapePlan& plan);
bool analyse_top_summary(const Line& line, ShapePlan& plan);
bool analyse_time(const Line& line, ShapePlan& plan);
bool analyse_headless_ps(const Line& line, ShapePlan& plan);
bool analyse_headless_pidstat(const Line& line, ShapePlan& plan);
bool analyse_bare_number(const Line& line, ShapePlan& plan);
bool analyse_bare_pair(const Line& line, ShapePlan& plan);

}  // namespace lowtide::ingest

// The processes of a watched job as rows of a table, for text and Markdown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/report.h"

namespace lowtide::show {

struct ProcessRow {
  std::string role;
  std::string pid;  // or "20 of them"
  std::string verdict;
  model::VerdictKind kind = model::VerdictKind::Inconclusive;
  model::Floor floor;
  std::string rate;   // empty when it does not grow
  std::string share;  // of the tree's growth; empty when that is not known
  std::string pss;    // "?" when it was never read; "1.2 GB, 40 s old" when it was not read lately
  std::string command;
};

// As the report has them, but a crowd of one kind that does not grow is one row.
std::vector<ProcessRow> process_rows(const model::Report& report);

}  // namespace lowtide::show

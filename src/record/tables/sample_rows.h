// Rows of the tables of samples: their SQL, how they are bound, and how they are read and checked.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/sqlite.h"
#include "record/tables/series.h"
#include "record/tables/table.h"

namespace lowtide::record {

std::string table_name(SeriesKind kind, std::size_t level);
TableText sample_table(SeriesKind kind, std::size_t level);

// The columns of a SampleRow in its order, as this level has them. A column that is not among those that the
// table has is NULL: a recording of an older lowtide has fewer. Without a list the table has all.
std::string row_columns(SeriesKind kind, std::size_t level, const std::vector<std::string>* there = nullptr);
// The id, then row_columns; parameters: ids above, at_s from, at_s below.
std::string select_sql(SeriesKind kind, std::size_t level, const std::vector<std::string>& there);

void bind_row(Statement& insert, SeriesKind kind, std::size_t level, const SampleRow& row);
// False where the row holds values that no reading can have had.
bool read_row(const Statement& from, SeriesKind kind, SampleRow& row);

}  // namespace lowtide::record

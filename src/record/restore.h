// A recording whose end is missing: with the tables put back that every recording begins with.
//
// The schema and the first page of each table are the first 70 pages of the file, one between the other.
// Without one of them SQLite refuses the whole file. But they are the same in every recording of one schema,
// so those that are missing are taken from a new one: a table whose first page is missing is then empty.
#pragma once

#include <string>

#include "base/result.h"
#include "record/sqlite.h"

namespace lowtide::record {

// The file in memory. Unsupported: it is too large for that, or was made with other tables.
base::Result<Database> restore_tables(const std::string& path);

}  // namespace lowtide::record

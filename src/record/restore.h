// Opens a truncated recording by restoring the tables that every recording starts with.
//
// The schema and the root pages of all tables are in the first 70 pages of the file. SQLite refuses the whole
// file if one of them is missing. These pages are the same in every new recording of one schema version, so
// missing pages are taken from a new recording. A table whose root page was missing is then empty.
#pragma once

#include <string>

#include "base/result.h"
#include "record/sqlite.h"

namespace lowtide::record {

// Returns the restored database in memory. Unsupported: the file is too large or has other tables.
base::Result<Database> restore_tables(const std::string& path);

}  // namespace lowtide::record

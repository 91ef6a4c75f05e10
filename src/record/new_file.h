// Makes the file of a recording, with its tables and nothing in them.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "record/sqlite.h"

namespace lowtide::record {

struct NewFile {
  Database database;
  bool has_log = false;
};

// Never takes the place of a file that is there. What was begun is removed when it fails.
base::Result<NewFile> make_file(const std::string& path);

// What makes the tables, in a file of such pages.
inline constexpr std::size_t kPageBytes = 4096;
std::string tables_sql();

// The file and what SQLite has put beside it.
void remove_files(const std::string& path);

}  // namespace lowtide::record

// Makes the file of a recording, with its tables and nothing in them.
#pragma once

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

// The file and what SQLite has put beside it.
void remove_files(const std::string& path);

}  // namespace lowtide::record

// From a path to a database that can be asked, whatever lies there.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/sqlite.h"

namespace lowtide::record {

struct OpenedFile {
  Database database;
  std::vector<std::string> warnings;
};

// Read-only, and without trust in what the file says about itself: no views, no
// triggers, no values over 1 MB.
base::Result<OpenedFile> open_recording(const std::string& path);

}  // namespace lowtide::record

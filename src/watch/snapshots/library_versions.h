// Records the versions of Python packages whose native code allocates memory of the job.
#pragma once

#include <set>
#include <string>

#include "observe/monitor.h"
#include "record/writer.h"

namespace lowtide::watch {

class LibraryVersions {
 public:
  // Looks up the libraries that the new allocation sites name.
  void tick(const observe::Monitor& monitor, record::Writer& writer);

 private:
  std::set<std::string> known_;  // also those without a version
};

}  // namespace lowtide::watch

// Who made the shared memory of the job, in words.
#pragma once

#include <string>

#include "explain/evidence/evidence.h"
#include "model/shared_group.h"

namespace lowtide::explain {

// "430 files like /dev/shm/batch*.npy (219 MB), named after trainer (pid 100)".
std::string group_words(const model::SharedGroup& group, const Evidence& evidence);

// The process that made, or holds, nearly all of it.
struct MainCreator {
  const model::ProcessInfo* process = nullptr;  // null: there is none, or it is not known
  bool holds = false;                           // has it open; who made it is not known
};
MainCreator find_main_creator(const Evidence& evidence);

}  // namespace lowtide::explain

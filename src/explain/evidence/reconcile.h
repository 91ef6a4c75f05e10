#pragma once

#include <optional>

#include "explain/evidence/evidence.h"
#include "model/watched.h"

namespace lowtide::explain {

// What the cgroup counts against what was added up of the tree, at the latest
// moment at which both are known well; absent without a cgroup.
std::optional<model::Reconciliation> reconcile(const Evidence& evidence);

}  // namespace lowtide::explain

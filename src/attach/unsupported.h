#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace lowtide::attach {

// What this machine, or this target, does not allow or have.
inline base::Error unsupported(std::string message) {
  return {base::ErrorCode::Unsupported, std::move(message)};
}

}  // namespace lowtide::attach

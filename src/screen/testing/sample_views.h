// What the tests of the layout lay out.
#pragma once

#include "screen/view.h"

namespace lowtide::screen {

// A training with workers, an agent and looks, that leaks.
View leak_view();

// The first moment: nothing was read yet, and there is no agent.
View empty_view();

// The same as the first, with names that want to be more than names. As a target has them: they are not
// printable yet.
std::string hostile_name();

}  // namespace lowtide::screen

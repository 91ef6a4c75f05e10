#pragma once

namespace lowtide::agent {

// The text of marks.py, embedded while the agent is built.
const char* marks_script();

}  // namespace lowtide::agent

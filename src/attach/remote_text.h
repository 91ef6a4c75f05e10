// The two parts of the script without their values, embedded while lowtide is built.

#pragma once

namespace lowtide::attach {

const char* remote_start_script();  // remote_start.py
const char* remote_work_script();   // remote_work.py

}  // namespace lowtide::attach

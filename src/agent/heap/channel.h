// The agent's tie to the monitor: when it is on, where the memory file is, and whose.
//
// The file is made at a process's first sample, so a process that allocates next to
// nothing costs nothing. A forked child must not write into its parent's: one page
// is marked MADV_WIPEONFORK, so in a child it reads as zero, and the child begins
// again; a vfork child shares its parent's memory, page and all, and what it frees is
// freed for the parent too, so it may go on as if it were the parent.

#pragma once

#include <atomic>
#include <cstdint>

#include "wire/layout.h"

namespace lowtide::agent {

// Asleep until our constructor has run; then on, or off for good.
enum class Power : std::uint32_t { Asleep = 0, On = 1, Off = 2 };

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern constinit std::atomic<Power> g_power;

// Remembers the socket's path and the address of the main stack's end; on from here.
void start_channel(const char* socket_path);

// For a process that is entered late: gives up the file of an earlier time and takes
// the new address. False: a thread is still at work on the old file.
bool resume_channel(const char* socket_path);

// Unmaps the file once nobody uses it; false when somebody does.
bool release_channel();

// True when the monitor that we spoke to last is still there, and is not the one at this
// path, which may have lost sight of us.
bool is_answered_elsewhere(const char* socket_path);

// Held while a thread uses the file, so that it is not unmapped meanwhile. First
// this, then owns_tables().
class TableUse {
 public:
  TableUse();
  ~TableUse();
  TableUse(const TableUse&) = delete;
  TableUse& operator=(const TableUse&) = delete;
};

// Reports to the monitor that this process will not be observed.
void decline(const char* socket_path, wire::OffReason reason);

// True when this thread may record a sample now: the file is there (it may have been
// made just now) and somebody reads it.
bool may_record(std::uint64_t now_ns);

// True when the tables in memory are those of this process; false in a fresh child.
bool owns_tables();

// Of the open file.
wire::Header* header();

// Where the monitor listens.
const char* monitor_path();

// As this process sees it; 0: it does not.
std::int32_t monitor_pid();

// For good, in this process and its children.
void switch_off(wire::OffReason reason);

void count_drop(wire::Drop kind, std::uint64_t weight_bytes);

// Increases when a child starts again: what was written to another ring must be written again.
std::uint32_t epoch();

}  // namespace lowtide::agent

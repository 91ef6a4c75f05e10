#include "ingest/formats/event_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lowtide::ingest {
namespace {

using model::Event;
using model::EventKind;

std::vector<Event> events_in(const std::vector<std::string>& lines) {
  EventReader reader;
  std::vector<Event> events;
  std::uint64_t number = 0;
  for (const std::string& line : lines) {
    if (auto event = reader.read(line, ++number)) events.push_back(*event);
  }
  while (auto event = reader.finish()) events.push_back(*event);
  return events;
}

TEST(cuda_out_of_memory, old_and_new_become_one_clean_sentence) {
  const auto events =
      events_in({"RuntimeError: CUDA out of memory. Tried to allocate 16.00 GiB (GPU 0; 11.93 GiB total "
                 "capacity; 4.00 GiB "
                 "already allocated; 7.33 GiB free; 179.00 KiB cached)",
                 "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 158.00 MiB. GPU 0 "
                 "has a total capacity of "
                 "23.69 GiB of which 115.69 MiB is free. Process 21422 has 23.57 GiB memory in use. Of the "
                 "allocated memory 22.14 "
                 "GiB is allocated by PyTorch, and 910.35 MiB is reserved by PyTorch but unallocated. If "
                 "reserved but"});

  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, EventKind::CudaOom);
  EXPECT_EQ(events[0].text,
            "CUDA out of memory: tried to allocate 16.00 GiB; 4.00 GiB allocated by PyTorch, 179.00 KiB "
            "reserved in all "
            "of 11.93 GiB");
  EXPECT_EQ(events[1].text,
            "CUDA out of memory: tried to allocate 158.00 MiB; 22.14 GiB allocated by PyTorch, 910.35 MiB "
            "reserved but "
            "unallocated of 23.69 GiB");
}

TEST(cuda_out_of_memory, wrapped_over_lines_is_one_event) {
  const auto events =
      events_in({"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.37 GiB. GPU 0 has",
                 "a total capacty of 79.11 GiB of which 2.93 GiB is free. Of the allocated memory 68.61",
                 "GiB is allocated by PyTorch, and 5.63 GiB is reserved by PyTorch but unallocated."});

  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].line, 1U);
  EXPECT_EQ(
      events[0].text,
      "CUDA out of memory: tried to allocate 6.37 GiB; 68.61 GiB allocated by PyTorch, 5.63 GiB reserved but "
      "unallocated of 79.11 GiB");
}

TEST(the_kernels_lines_about_one_kill, are_one_event) {
  const auto events = events_in(
      {"[ 7063.247407] uwsgi invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=986",
       "[ 7063.3] "
       "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/"
       "a,task_memcg=/a,"
       "task=uwsgi,pid=63214,uid=0",
       "[ 7063.4] Memory cgroup out of memory: Killed process 63214 (uwsgi) total-vm:3149468kB, "
       "anon-rss:164992kB, "
       "file-rss:52176kB, shmem-rss:92kB, UID:0 pgtables:1372kB oom_score_adj:986",
       "[ 7063.5] oom_reaper: reaped process 63214 (uwsgi), now anon-rss:0kB, file-rss:0kB, shmem-rss:92kB"});

  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, EventKind::OomKill);
  EXPECT_EQ(events[0].line, 1U);
  EXPECT_EQ(events[0].text,
            "the kernel's out-of-memory killer killed process 63214 (uwsgi): 169 MB anonymous, 53.4 MB file, "
            "94.2 kB "
            "shared; the limit of its memory cgroup was reached");
}

TEST(the_kernels_lines_about_one_kill, are_one_event_in_the_old_form_too) {
  const auto events = events_in(
      {"Memory cgroup out of memory: Kill process 42453 (memcg_test_1) score 0 or sacrifice child",
       "Killed process 42453 (memcg_test_1), UID 0, total-vm:7296kB, anon-rss:96kB, file-rss:164kB"});

  ASSERT_EQ(events.size(), 1U);
  EXPECT_NE(events[0].text.find("(memcg_test_1)"), std::string::npos);
  EXPECT_NE(events[0].text.find("memory cgroup"), std::string::npos);
}

TEST(a_victim, with_a_bracket_in_its_name_keeps_it) {
  const auto events = events_in(
      {"Out of memory: Killed process 3963629 (next-build (v16) total-vm:11964kB, anon-rss:4288kB"});

  ASSERT_EQ(events.size(), 1U);
  EXPECT_NE(events[0].text.find("(next-build (v16)"), std::string::npos) << events[0].text;
}

struct Case {
  const char* line;
  EventKind kind;
};

TEST(a_line_about_the_end, has_its_kind) {
  for (const Case& test : {
           Case{"Killed", EventKind::Killed},
           Case{"/var/spool/slurmd/job00191/slurm_script: line 28:  8156 Killed                  python3 "
                "main.py",
                EventKind::Killed},
           Case{"RuntimeError: DataLoader worker (pid 1817) is killed by signal: Killed. ",
                EventKind::WorkerKilled},
           Case{"DataLoader worker (pid 5) exited unexpectedly with exit code 1.", EventKind::WorkerKilled},
           Case{"ERROR: Unexpected bus error encountered in worker. This might be", EventKind::WorkerKilled},
           Case{"ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 3 "
                "(pid: 812917)",
                EventKind::Killed},
           Case{"slurmstepd: error: Detected 1 oom-kill event(s) in StepId=191.batch cgroup.",
                EventKind::OomKill},
           Case{"slurmstepd: error: Detected 1 oom_kill event in StepId=440575.0.", EventKind::OomKill},
           Case{"srun: error: nid001277: tasks 1-3: Out Of Memory", EventKind::OomKill},
           Case{"      Reason:       OOMKilled", EventKind::OomKill},
           Case{"The node was low on resource: memory.", EventKind::OomKill},
           Case{"systemd-oomd[840]: Killed /user.slice/a.scope due to memory pressure for /user.slice",
                EventKind::OomKill},
           Case{"earlyoom[1460]: mem avail:    56 of 15881 MiB ( 0.35%), swap free: 2555",
                EventKind::OomKill},
           Case{"RuntimeError: unable to allocate shared memory(shm) for file </torch_1>", EventKind::Exit},
       }) {
    const auto events = events_in({test.line});
    ASSERT_EQ(events.size(), 1U) << test.line;
    EXPECT_EQ(events[0].kind, test.kind) << test.line;
  }
}

TEST(an_ordinary_line, is_no_event) {
  for (const char* line :
       {"exitcode: 0", "earlyoom[1]: mem avail: 15000 of 15881 MiB (94%)", "loss: 0.5", ""}) {
    EXPECT_TRUE(events_in({line}).empty()) << line;
  }
}

}  // namespace
}  // namespace lowtide::ingest

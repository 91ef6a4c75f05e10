#include "procfs/process_info.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/fd.h"
#include "base/testing/temp_folder.h"
#include "procfs/pid_list.h"
#include "procfs/test_machines.h"

namespace lowtide::procfs {
namespace {

TEST(ProcessInfo, arguments_keep_their_blanks) {
  const auto arguments = read_arguments(roots_of(kRealMachine), kTrainer);

  ASSERT_TRUE(arguments);
  ASSERT_EQ(arguments.value().size(), 5U);
  EXPECT_EQ(arguments.value()[0], "/usr/bin/python3");
  EXPECT_EQ(arguments.value()[1], "-u");
  EXPECT_EQ(arguments.value()[4], "--arg with blank");
}

TEST(ProcessInfo, process_without_arguments_is_called_by_its_name) {
  const Roots roots = roots_of(kRealMachine);

  EXPECT_EQ(read_command_line(roots, kKernelThread).value(), "[kthreadd]");
  EXPECT_EQ(read_command_line(roots, kZombie).value(), "[python3]");
  EXPECT_TRUE(read_arguments(roots, kZombie).value().empty());
}

TEST(ProcessInfo, environment_names_the_rank) {
  const Roots roots = roots_of(kRealMachine);

  EXPECT_EQ(read_environment_value(roots, kTrainer, "LOCAL_RANK").value(), "3");
  EXPECT_EQ(read_environment_value(roots, kTrainer, "RANK").value(), "11");
  EXPECT_EQ(read_environment_value(roots, kTrainer, "EMPTY").value(), "");
  EXPECT_EQ(read_environment_value(roots, kTrainer, "WORLD_SIZE").value(), std::nullopt);
}

TEST(ProcessInfo, process_that_is_no_more_is_gone) {
  const Roots roots = roots_of(kRealMachine);

  EXPECT_EQ(read_arguments(roots, 99).error().code, base::ErrorCode::Gone);
  EXPECT_EQ(read_command_line(roots, 99).error().code, base::ErrorCode::Gone);
  EXPECT_EQ(read_environment_value(roots, 99, "RANK").error().code, base::ErrorCode::Gone);
  EXPECT_EQ(read_exe(roots, 99).error().code, base::ErrorCode::Gone);
  EXPECT_EQ(read_mapped_libraries(roots, 99).error().code, base::ErrorCode::Gone);
  EXPECT_EQ(read_fd_target(roots, 99, 1).error().code, base::ErrorCode::Gone);
}

TEST(ProcessInfo, python_without_a_framework_is_not_a_training_process) {
  const auto libraries = read_mapped_libraries(roots_of(kRealMachine), kTrainer);

  ASSERT_TRUE(libraries);
  EXPECT_TRUE(libraries.value().python);
  EXPECT_FALSE(libraries.value().any_framework());
  EXPECT_FALSE(libraries.value().cut);
}

TEST(ProcessInfo, frameworks_are_known_by_their_libraries) {
  MappedLibraries found;

  note_library("/venv/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so", found);
  EXPECT_TRUE(found.torch);
  EXPECT_FALSE(found.jax || found.tensorflow || found.python);

  note_library("/venv/lib/python3.11/site-packages/jaxlib/xla_extension.so", found);
  EXPECT_TRUE(found.jax);

  note_library("/venv/tensorflow/libtensorflow_framework.so.2", found);
  EXPECT_TRUE(found.tensorflow);

  note_library("/usr/bin/python-config", found);
  EXPECT_FALSE(found.python);
  note_library("/usr/bin/python3.13t", found);
  EXPECT_TRUE(found.python);
}

TEST(ProcessInfo, descriptor_on_a_file_shows_offset_and_flags) {
  const std::string path = base::temp_folder() + "/procfs_fd_target";
  const base::Fd file(::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(file.get(), "step 1\n", 7), 7);

  const auto target = read_fd_target(Roots{}, ::getpid(), file.get());
  ::unlink(path.c_str());
  const auto deleted = read_fd_target(Roots{}, ::getpid(), file.get());

  ASSERT_TRUE(target);
  EXPECT_TRUE(target.value().regular);
  EXPECT_FALSE(target.value().deleted);
  EXPECT_EQ(target.value().size_bytes, 7U);
  EXPECT_EQ(target.value().offset_bytes, 7U);
  EXPECT_TRUE((target.value().open_flags & O_APPEND) != 0);
  ASSERT_TRUE(deleted);
  EXPECT_TRUE(deleted.value().deleted);
  EXPECT_EQ(deleted.value().path, target.value().path);
  EXPECT_EQ(deleted.value().inode, target.value().inode);
}

TEST(ProcessInfo, pipe_is_not_a_file_to_read_from_outside) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const base::Fd out(ends[0]);
  const base::Fd in(ends[1]);

  const auto target = read_fd_target(Roots{}, ::getpid(), in.get());

  ASSERT_TRUE(target);
  EXPECT_FALSE(target.value().regular);
  EXPECT_TRUE(target.value().path.starts_with("pipe:["));
}

TEST(ProcessInfo, opened_file_is_found_among_the_descriptors) {
  const base::Fd kept(::open("/proc/self/comm", O_RDONLY | O_CLOEXEC));
  const std::string comm = "/proc/" + std::to_string(::getpid()) + "/comm";

  EXPECT_TRUE(has_opened({}, ::getpid(), comm).value());
  EXPECT_FALSE(has_opened({}, ::getpid(), "/dev/nvidiactl").value());
  EXPECT_EQ(has_opened({}, 1 << 30, comm).error().code, base::ErrorCode::Gone);
}

TEST(ProcessInfo, fdinfo_without_an_offset_is_malformed) {
  EXPECT_FALSE(parse_fdinfo(""));
  EXPECT_FALSE(parse_fdinfo("flags:\t0100001\n"));
  EXPECT_EQ(parse_fdinfo("pos:\t12\nflags:\t02001\n").value().open_flags, 02001);
}

TEST(PidList, only_folders_that_are_numbers_in_order) {
  PidList list(roots_of(kRealMachine));

  ASSERT_TRUE(list.refresh());
  EXPECT_THAT(list.pids(), testing::ElementsAre(2, 6243, 6244, 6245));
  ASSERT_TRUE(list.refresh());
  EXPECT_EQ(list.pids().size(), 4U);
}

TEST(PidList, machine_without_proc_lists_nothing) {
  PidList list(Roots{.proc = "/no/such/folder"});

  EXPECT_FALSE(list.refresh());
  EXPECT_TRUE(list.pids().empty());
}

TEST(PidList, we_are_among_the_processes_of_this_machine) {
  PidList list(Roots{});

  ASSERT_TRUE(list.refresh());
  EXPECT_THAT(list.pids(), testing::Contains(::getpid()));
}

}  // namespace
}  // namespace lowtide::procfs

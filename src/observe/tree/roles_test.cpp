#include "observe/tree/roles.h"

#include <gtest/gtest.h>

#include <vector>

namespace lowtide::observe {
namespace {

using model::ProcessRole;
using Words = std::vector<std::string>;

ProcessRole role_of(const Words& arguments, ProcessRole parent = ProcessRole::Wrapper) {
  return guess_role({.arguments = arguments, .parent_role = parent}).role;
}

TEST(RolesTest, launchers_are_wrappers_in_every_way_they_are_started) {
  EXPECT_EQ(role_of({"sh", "-c", "python train.py"}), ProcessRole::Wrapper);
  EXPECT_EQ(role_of({"/bin/bash", "run.sh"}), ProcessRole::Wrapper);
  EXPECT_EQ(role_of({"-bash"}), ProcessRole::Wrapper);
  EXPECT_EQ(role_of({"uv", "run", "train.py"}), ProcessRole::Wrapper);
  EXPECT_EQ(role_of({"/usr/bin/python3", "/usr/bin/torchrun", "--nproc-per-node", "2", "train.py"}),
            ProcessRole::Wrapper);
  EXPECT_EQ(role_of({"python", "-m", "torch.distributed.run", "train.py"}), ProcessRole::Wrapper);
  EXPECT_EQ(role_of({"python3.11", "/opt/venv/bin/accelerate", "launch", "train.py"}), ProcessRole::Wrapper);
}

TEST(RolesTest, a_python_script_below_a_wrapper_is_the_trainer) {
  EXPECT_EQ(role_of({"python", "train.py"}), ProcessRole::Trainer);
  EXPECT_EQ(role_of({"/usr/bin/python3.12", "-u", "-X", "dev", "train.py"}), ProcessRole::Trainer);
  EXPECT_EQ(role_of({"./llama-train"}), ProcessRole::Trainer);
}

TEST(RolesTest, a_rank_is_known_by_its_environment_but_its_forks_are_workers) {
  const Words script = {"python", "-u", "train.py"};

  const RoleGuess rank = guess_role({.arguments = script, .rank = 3, .parent_role = ProcessRole::Wrapper});
  const RoleGuess worker =
      guess_role({.arguments = script, .is_forked = true, .rank = 3, .parent_role = ProcessRole::Rank});

  EXPECT_EQ(rank.role, ProcessRole::Rank);
  EXPECT_EQ(rank.rank, 3);
  EXPECT_EQ(worker.role, ProcessRole::Worker);
  EXPECT_FALSE(worker.rank);
}

TEST(RolesTest, the_helpers_of_multiprocessing_are_distinguished) {
  const std::string spawn =
      "from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=7, pipe_handle=9)";

  EXPECT_EQ(role_of({"python", "-c", spawn, "--multiprocessing-fork"}, ProcessRole::Trainer),
            ProcessRole::Worker);
  EXPECT_EQ(role_of({"python", "-c", "from multiprocessing.resource_tracker import main;main(6)"}),
            ProcessRole::Server);
  EXPECT_EQ(role_of({"python", "-c", "from multiprocessing.forkserver import main; main(3, 5, ['x'])"}),
            ProcessRole::Server);
  EXPECT_EQ(role_of({"python", "/x/torch/_inductor/compile_worker/__main__.py", "--pickler=x"}),
            ProcessRole::CompileWorker);
}

TEST(RolesTest, a_fork_of_a_compile_worker_is_one_and_a_fork_of_a_shell_is_a_shell) {
  const Words shell = {"sh", "-c", "a | b"};

  EXPECT_EQ(guess_role({.is_forked = true, .parent_role = ProcessRole::CompileWorker}).role,
            ProcessRole::CompileWorker);
  EXPECT_EQ(guess_role({.arguments = shell, .is_forked = true, .parent_role = ProcessRole::Wrapper}).role,
            ProcessRole::Wrapper);
}

TEST(RolesTest, what_only_stands_beside_the_trainer_is_other) {
  EXPECT_EQ(role_of({"tee", "log"}), ProcessRole::Other);
  EXPECT_EQ(role_of({"nvidia-smi", "-l"}), ProcessRole::Other);
  EXPECT_EQ(role_of({"git", "rev-parse"}, ProcessRole::Trainer), ProcessRole::Other);
  EXPECT_EQ(role_of({"python", "-m", "tensorboard.main"}, ProcessRole::Trainer), ProcessRole::Server);
  EXPECT_EQ(role_of({}), ProcessRole::Other);
}

TEST(RolesTest, a_program_is_named_by_its_script) {
  EXPECT_EQ(program_name(Words{"python3", "-u", "/data/train.py", "--lr", "1"}), "train.py");
  EXPECT_EQ(program_name(Words{"python3", "-m", "pkg.train"}), "pkg.train");
  EXPECT_EQ(program_name(Words{"/usr/bin/nvidia-smi"}), "nvidia-smi");
  EXPECT_EQ(program_name(Words{}), "");
}

}  // namespace
}  // namespace lowtide::observe

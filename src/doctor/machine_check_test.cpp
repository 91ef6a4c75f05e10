#include "doctor/machine_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/testing/source_dir.h"
#include "base/testing/temp_folder.h"
#include "doctor/python_installs.h"

namespace lowtide::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::int32_t kTrainer = 6243;  // of the machine in the fixture, as root

fs::path fixture(const std::string& machine) {
  return fs::path(base::source_dir()) / "tests/fixtures/proc" / machine;
}

Surroundings at(const fs::path& machine) {
  Surroundings where;
  where.roots = {.proc = machine / "proc", .cgroup = machine / "cgroup", .shm = machine};
  where.own_pid = kTrainer;
  where.gpu_library = "libno-such-driver.so.1";
  return where;
}

const MachineCheck& find(const std::vector<MachineCheck>& checks, std::string_view name) {
  return *std::find_if(checks.begin(), checks.end(),
                       [&](const MachineCheck& check) { return check.name == name; });
}

// Every test has its own folder, which is removed at the end.
class MachineChecks : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(base::temp_folder()) /
              ("lowtide-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path copy_of_machine() const {
    fs::copy(fixture("linux-6.18-cgroup1"), folder_ / "machine", fs::copy_options::recursive);
    return folder_ / "machine";
  }

  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  static void write_program(const fs::path& path) {
    write(path, "#!/bin/sh\n");
    fs::permissions(path, fs::perms::owner_all);
  }

  fs::path folder_;
};

TEST_F(MachineChecks, a_machine_without_problems_has_no_hints) {
  const auto checks = check_machine(at(fixture("linux-6.18-cgroup1")));

  for (const char* name :
       {"kernel", "proc", "shared pages", "ptrace", "capabilities", "memory", "cgroup", "pressure"}) {
    EXPECT_EQ(find(checks, name).state, CheckState::Ok) << name << ": " << find(checks, name).why;
    EXPECT_EQ(find(checks, name).hint, "") << name;
  }
  EXPECT_TRUE(find(checks, "kernel").value.starts_with("Linux 6.18"));
  EXPECT_TRUE(can_watch(checks));
}

TEST_F(MachineChecks, every_check_that_is_not_ok_has_a_reason_and_a_hint) {
  Surroundings where = at(folder_);
  where.recording_folder = "/no/such/folder";
  where.fallback_folder = "/no/such/folder";

  const auto checks = check_machine(where);

  for (const MachineCheck& check : checks) {
    EXPECT_FALSE(check.value.empty()) << check.name;
    if (check.state == CheckState::Ok) continue;
    EXPECT_FALSE(check.why.empty()) << check.name;
    EXPECT_FALSE(check.hint.empty()) << check.name;
  }
  EXPECT_EQ(find(checks, "recordings").state, CheckState::Missing);
  EXPECT_EQ(find(checks, "gpu").state, CheckState::Missing);
  EXPECT_EQ(find(checks, "python").state, CheckState::Missing);
}

TEST_F(MachineChecks, without_proc_no_job_can_be_watched) {
  const auto checks = check_machine(at("/no/such/machine"));

  EXPECT_EQ(find(checks, kProcCheck).state, CheckState::Missing);
  EXPECT_FALSE(can_watch(checks));
  EXPECT_NE(checks_to_text(checks, 80).find("cannot watch"), std::string::npos);
}

TEST_F(MachineChecks, the_lowest_limit_above_the_job_is_reported) {
  Surroundings where = at(fixture("cgroup2-nested"));
  where.own_pid = 77;

  const auto checks = check_machine(where);

  EXPECT_TRUE(find(checks, "cgroup").value.starts_with("v2, limit")) << find(checks, "cgroup").value;
  EXPECT_NE(find(checks, "cgroup").value.find("/kubepods.slice"), std::string::npos);
}

TEST_F(MachineChecks, hidden_processes_limit_an_ordinary_user_and_not_root) {
  const fs::path machine = copy_of_machine();
  write(machine / "proc/self/mountinfo", "22 27 0:21 / /proc rw,relatime - proc proc rw,hidepid=invisible\n");
  Surroundings user = at(machine);
  user.own_uid = 1000;

  const auto as_user = check_machine(user);
  const auto as_root = check_machine(at(machine));

  EXPECT_EQ(find(as_user, kProcCheck).state, CheckState::Limited);
  EXPECT_NE(find(as_user, kProcCheck).why.find("(hidepid=invisible)"), std::string::npos);
  EXPECT_TRUE(can_watch(as_user));
  EXPECT_EQ(find(as_root, kProcCheck).state, CheckState::Ok);
}

TEST_F(MachineChecks, settings_that_forbid_are_limits_only_without_the_capability) {
  const fs::path machine = copy_of_machine();
  write(machine / "proc/sys/kernel/yama/ptrace_scope", "1\n");
  write(machine / "proc/sys/kernel/perf_event_paranoid", "4\n");

  const auto as_root = check_machine(at(machine));
  write(machine / "proc/self/status", "Name:\tlowtide\nCapEff:\t0000000000000000\n");
  const auto as_user = check_machine(at(machine));

  EXPECT_EQ(find(as_root, "ptrace").state, CheckState::Ok);
  EXPECT_EQ(find(as_user, "ptrace").state, CheckState::Limited);
  EXPECT_EQ(find(as_user, "perf events").state, CheckState::Ok);  // lowtide does not need them
  EXPECT_EQ(find(as_user, "capabilities").value, "none");
}

TEST_F(MachineChecks, root_is_never_advised_to_become_root) {
  const fs::path machine = copy_of_machine();
  write(machine / "proc/sys/kernel/yama/ptrace_scope", "1\n");
  write(machine / "proc/self/status", "Name:\tlowtide\nCapEff:\t0000000000000000\n");
  Surroundings user = at(machine);
  user.own_uid = 1000;
  const auto hints_of = [](const Surroundings& where) {
    std::string hints;
    for (const MachineCheck& check : check_machine(where)) hints += check.hint + "\n";
    return hints;
  };

  for (const fs::path& place : {machine, folder_ / "nothing", fixture("cgroup2-nested")}) {
    EXPECT_EQ(hints_of(at(place)).find("root"), std::string::npos);
    EXPECT_EQ(hints_of(at(place)).find("sudo"), std::string::npos);
  }
  EXPECT_NE(hints_of(user).find("sudo sysctl kernel.yama.ptrace_scope=0"), std::string::npos);
}

TEST_F(MachineChecks, kernel_without_smaps_rollup_is_limited) {
  const fs::path machine = copy_of_machine();
  write(machine / "proc/sys/kernel/osrelease", "4.9.0-13-amd64\n");

  const auto checks = check_machine(at(machine));

  EXPECT_EQ(find(checks, "kernel").state, CheckState::Limited);
}

TEST_F(MachineChecks, json_has_one_object_per_check_and_null_without_a_hint) {
  const auto checks = check_machine(at(fixture("linux-6.18-cgroup1")));

  const auto root = nlohmann::json::parse(checks_to_json(checks));

  EXPECT_EQ(root["schema"], 1);
  EXPECT_EQ(root["checks"].size(), checks.size());
  EXPECT_EQ(root["checks"][0]["name"], "kernel");
  EXPECT_EQ(root["checks"][0]["state"], "ok");
  EXPECT_TRUE(root["checks"][0]["try"].is_null());
}

TEST_F(MachineChecks, text_from_outside_has_no_escape_sequences) {
  const fs::path machine = copy_of_machine();
  write(machine / "proc/sys/kernel/osrelease", "6.1\x1b[31m\n");

  const auto checks = check_machine(at(machine));

  EXPECT_EQ(checks_to_text(checks, 80).find('\x1b'), std::string::npos);
}

TEST_F(MachineChecks, environment_is_found_with_its_version_and_framework) {
  write_program(folder_ / "base/bin/python3.12");
  fs::create_symlink("python3.12", folder_ / "base/bin/python3");
  write(folder_ / "venv/pyvenv.cfg", "home = base\n");
  fs::create_directories(folder_ / "venv/bin");
  fs::create_symlink(folder_ / "base/bin/python3.12", folder_ / "venv/bin/python3");
  write(folder_ / "venv/lib/python3.12/site-packages/torch/__init__.py", "");

  const auto installs =
      find_pythons((folder_ / "venv/bin").string() + "::" + (folder_ / "base/bin").string() + ":" +
                   (folder_ / "nothing").string() + ":" + (folder_ / "base/bin").string());

  ASSERT_EQ(installs.size(), 2U);
  EXPECT_EQ(installs[0].version, "3.12");
  EXPECT_EQ(installs[0].frameworks, std::vector<std::string>{"torch"});
  EXPECT_EQ(installs[1].version, "3.12");
  EXPECT_TRUE(installs[1].frameworks.empty());
}

TEST_F(MachineChecks, interpreter_that_is_a_script_has_no_version) {
  write_program(folder_ / "shims/python3");

  const auto installs = find_pythons((folder_ / "shims").string());

  ASSERT_EQ(installs.size(), 1U);
  EXPECT_EQ(installs[0].version, "");
}

}  // namespace
}  // namespace lowtide::doctor

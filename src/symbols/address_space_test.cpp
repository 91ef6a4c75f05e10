// Real processes and real files: a python, a library that is replaced under one.
#include "symbols/address_space.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <string>

#include "symbols/symbolizer.h"
#include "symbols/test_files.h"

namespace lowtide::symbols {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("lowtide-symbols-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// A /proc in which map_files may not be read, as without CAP_SYS_ADMIN.
TargetFiles make_proc_without_map_files(const Folder& folder) {
  fs::create_directories(folder.path() / "proc/1");
  fs::create_symlink("/", folder.path() / "proc/1/root");
  fs::create_symlink("/proc/self/mem", folder.path() / "proc/1/mem");
  fs::create_symlink("/proc/self/maps", folder.path() / "proc/1/maps");
  return {.proc = folder.path() / "proc", .pid = 1};
}

struct Library {
  void* handle = nullptr;
  std::uint64_t function = 0;
};

Library load(const fs::path& path) {
  Library library;
  library.handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library.handle, nullptr) << ::dlerror();
  library.function = reinterpret_cast<std::uint64_t>(::dlsym(library.handle, "code_plain"));
  return library;
}

std::string name_at(AddressSpace& space, std::uint64_t address) {
  Symbolizer symbolizer;
  return symbolizer.symbolize(space, address).back().function;
}

TEST(AddressSpace, library_is_found_by_its_path_where_the_mapped_file_cannot_be_opened) {
  const Folder folder;
  fs::copy_file(kFiles + "/plain.so", folder.path() / "a.so");
  const Library library = load(folder.path() / "a.so");
  ImageStore store;
  AddressSpace space(store, make_proc_without_map_files(folder));
  ASSERT_TRUE(space.refresh());

  EXPECT_EQ(name_at(space, library.function), "code_plain");
  ::dlclose(library.handle);
}

TEST(AddressSpace, library_that_was_replaced_by_another_build_is_not_read) {
  const Folder folder;
  fs::copy_file(kFiles + "/plain.so", folder.path() / "a.so");
  const Library library = load(folder.path() / "a.so");
  fs::copy_file(kFiles + "/debug.so", folder.path() / "new.so");
  fs::rename(folder.path() / "new.so", folder.path() / "a.so");
  ImageStore store;
  AddressSpace space(store, make_proc_without_map_files(folder));
  ASSERT_TRUE(space.refresh());

  const auto place = space.find(library.function);

  ASSERT_TRUE(place);
  EXPECT_EQ(place->image, nullptr);
  EXPECT_TRUE(place->mapping->deleted);
  EXPECT_EQ(name_at(space, library.function), "");
  ::dlclose(library.handle);
}

TEST(AddressSpace, library_that_was_replaced_by_the_same_build_is_read) {
  const Folder folder;
  fs::copy_file(kFiles + "/plain.so", folder.path() / "a.so");
  const Library library = load(folder.path() / "a.so");
  fs::copy_file(kFiles + "/plain.so", folder.path() / "new.so");
  fs::rename(folder.path() / "new.so", folder.path() / "a.so");
  ImageStore store;
  AddressSpace space(store, make_proc_without_map_files(folder));
  ASSERT_TRUE(space.refresh());

  EXPECT_EQ(name_at(space, library.function), "code_plain");
  ::dlclose(library.handle);
}

TEST(AddressSpace, library_that_is_loaded_late_is_there_after_a_refresh) {
  ImageStore store;
  AddressSpace space(store, {.pid = static_cast<std::int32_t>(::getpid())});
  ASSERT_TRUE(space.refresh());
  const Folder folder;
  fs::copy_file(kFiles + "/plain.so", folder.path() / "late.so");
  const Library library = load(folder.path() / "late.so");

  EXPECT_FALSE(space.find(library.function));
  const auto changed = space.refresh();
  ASSERT_TRUE(changed);
  EXPECT_TRUE(changed.value());
  EXPECT_EQ(name_at(space, library.function), "code_plain");
  ::dlclose(library.handle);
}

TEST(AddressSpace, link_that_leads_out_of_the_targets_root_stays_inside) {
  const Folder folder;
  fs::create_directories(folder.path() / "proc/1");
  fs::create_directories(folder.path() / "container/lib");
  fs::create_symlink(folder.path() / "container", folder.path() / "proc/1/root");
  fs::copy_file(kFiles + "/plain.so", folder.path() / "container/lib/inside.so");
  fs::create_symlink("/lib/inside.so", folder.path() / "container/link.so");
  const TargetFiles files{.proc = folder.path() / "proc", .pid = 1};

  const base::Fd fd = files.open("/link.so");

  ASSERT_TRUE(fd.valid());
  EXPECT_EQ(fs::read_symlink("/proc/self/fd/" + std::to_string(fd.get())),
            fs::canonical(folder.path() / "container/lib/inside.so"));
}

TEST(AddressSpace, kernels_own_library_has_names) {
  ImageStore store;
  AddressSpace space(store, {.pid = static_cast<std::int32_t>(::getpid())});
  ASSERT_TRUE(space.refresh());
  const std::uint64_t vdso = ::getauxval(AT_SYSINFO_EHDR);
  if (vdso == 0) {
    GTEST_SKIP() << "no vdso here";
  }

  const auto place = space.find(vdso);

  ASSERT_TRUE(place);
  ASSERT_NE(place->image, nullptr);
  EXPECT_GT(place->image->symbol_count(), 0U);
}

// A python that waits until its input ends.
class Python {
 public:
  Python() {
    std::array<int, 2> input{};
    std::array<int, 2> output{};
    if (::pipe(input.data()) != 0 || ::pipe(output.data()) != 0) {
      return;
    }
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(input[0], 0);
      ::dup2(output[1], 1);
      ::close(input[1]);
      ::execl("/usr/bin/python3", "python3", "-c", "import sys; print('ready', flush=True); sys.stdin.read()",
              nullptr);
      ::_exit(127);
    }
    ::close(input[0]);
    ::close(output[1]);
    input_ = base::Fd(input[1]);
    const base::Fd from(output[0]);
    std::array<char, 5> ready{};
    is_ready_ = ::read(from.get(), ready.data(), ready.size()) == static_cast<ssize_t>(ready.size());
  }
  ~Python() {
    input_.reset();
    ::waitpid(pid_, nullptr, 0);
  }
  Python(const Python&) = delete;
  Python& operator=(const Python&) = delete;
  Python(Python&&) = delete;
  Python& operator=(Python&&) = delete;

  [[nodiscard]] bool is_ready() const { return is_ready_; }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  base::Fd input_;
  bool is_ready_ = false;
};

TEST(AddressSpace, functions_of_a_running_python_are_named) {
  const Python python;
  ASSERT_TRUE(python.is_ready());
  ImageStore store;
  AddressSpace space(store, {.pid = python.pid()});
  ASSERT_TRUE(space.refresh());
  void* own_function = ::dlsym(RTLD_DEFAULT, "getenv");
  Dl_info own{};
  ASSERT_NE(::dladdr(own_function, &own), 0);
  const auto offset =
      reinterpret_cast<std::uint64_t>(own_function) - reinterpret_cast<std::uint64_t>(own.dli_fbase);

  // The same libc as ours, at another place.
  std::uint64_t function = 0;
  std::size_t python_symbols = 0;
  for (const Mapping& mapping : space.mappings()) {
    if (mapping.path.ends_with("/libc.so.6") && mapping.file_offset_bytes == 0) {
      function = mapping.start + offset;
    }
    if (mapping.executable && fs::path(mapping.path).filename().string().starts_with("python3")) {
      python_symbols = space.find(mapping.start)->image->symbol_count();
    }
  }

  EXPECT_EQ(name_at(space, function), "getenv");
  EXPECT_GT(python_symbols, 1000U);
}

TEST(AddressSpace, two_processes_share_the_images_of_the_same_files) {
  const Python one;
  const Python two;
  ASSERT_TRUE(one.is_ready() && two.is_ready());
  ImageStore store;
  AddressSpace first(store, {.pid = one.pid()});
  AddressSpace second(store, {.pid = two.pid()});
  ASSERT_TRUE(first.refresh() && second.refresh());

  for (AddressSpace* space : {&first, &second}) {
    for (const Mapping& mapping : space->mappings()) {
      if (mapping.executable) {
        (void)space->find(mapping.start);
      }
    }
  }

  const std::size_t code_mappings = static_cast<std::size_t>(
      std::count_if(first.mappings().begin(), first.mappings().end(),
                    [](const Mapping& m) { return m.executable && m.kind == MappingKind::File; }));
  EXPECT_LE(store.count(), code_mappings);
}

TEST(AddressSpace, forked_process_shares_what_is_known_of_its_parents_code) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ImageStore store;
  AddressSpace parents(store, {.pid = static_cast<std::int32_t>(::getpid())});
  AddressSpace childs(store, {.pid = static_cast<std::int32_t>(child)});

  ASSERT_TRUE(parents.refresh() && childs.refresh());

  EXPECT_EQ(&parents.mappings(), &childs.mappings());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace lowtide::symbols

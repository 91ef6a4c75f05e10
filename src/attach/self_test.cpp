// This very process, looked at as a target: what is found, and where it may be borrowed.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <future>
#include <thread>
#include <vector>

#include "attach/code_slot.h"
#include "attach/remote_memory.h"
#include "attach/stub.h"
#include "attach/target_image.h"
#include "attach/threads.h"
#include "base/testing/wait_until.h"

namespace lowtide::attach {
namespace {

using ::testing::Contains;

template <typename Function>
std::uint64_t address_of(Function* function) {
  return reinterpret_cast<std::uint64_t>(function);
}

class Self : public ::testing::Test {
 protected:
  Self() : image_(TargetImage::read(store_, files_)) {}

  symbols::ImageStore store_;
  symbols::TargetFiles files_{.proc = "/proc", .pid = static_cast<std::int32_t>(::getpid())};
  base::Result<TargetImage> image_;
};

#if defined(__has_feature)  // clang's way to ask
#if __has_feature(address_sanitizer)
#define LOWTIDE_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define LOWTIDE_SANITIZED
#endif

#if defined(LOWTIDE_SANITIZED)
TEST_F(Self, program_with_a_sanitizer_is_refused) {
  ASSERT_FALSE(image_);
  EXPECT_EQ(image_.error().code, base::ErrorCode::Unsupported);
  EXPECT_THAT(image_.error().message, ::testing::HasSubstr("sanitizer"));
}
#else
TEST_F(Self, functions_of_libc_are_where_they_are) {
  ASSERT_TRUE(image_) << image_.error().message;

  const TargetFunctions& functions = image_.value().functions();

  EXPECT_EQ(functions.open_library, reinterpret_cast<std::uint64_t>(::dlsym(RTLD_DEFAULT, "dlopen")));
  EXPECT_EQ(functions.errno_location,
            reinterpret_cast<std::uint64_t>(::dlsym(RTLD_DEFAULT, "__errno_location")));
  EXPECT_EQ(functions.create_thread,
            reinterpret_cast<std::uint64_t>(::dlsym(RTLD_DEFAULT, "pthread_create")));
}

TEST_F(Self, modules_are_distinguished) {
  ASSERT_TRUE(image_) << image_.error().message;
  TargetImage& image = image_.value();
  const auto malloc = reinterpret_cast<std::uint64_t>(::dlsym(RTLD_DEFAULT, "malloc"));
  const auto malloc_info = reinterpret_cast<std::uint64_t>(::dlsym(RTLD_DEFAULT, "malloc_info"));
  const auto poll = reinterpret_cast<std::uint64_t>(::dlsym(RTLD_DEFAULT, "poll"));

  EXPECT_EQ(image.kind_at(malloc), ModuleKind::Libc);
  EXPECT_TRUE(image.is_in_libc_malloc(malloc + 4));
  EXPECT_TRUE(image.is_in_libc_malloc(malloc_info));
  EXPECT_FALSE(image.is_in_libc_malloc(poll));
  EXPECT_EQ(image.libc_name_at(poll + 4), "poll");
  EXPECT_EQ(image.kind_at(address_of(&stub_code)), ModuleKind::Other);
  EXPECT_EQ(image.kind_at(1), ModuleKind::Unnamed);
  EXPECT_EQ(image.loaded_agent(), nullptr);
}

TEST_F(Self, there_is_room_for_the_stub_behind_the_end_of_code) {
  ASSERT_TRUE(image_) << image_.error().message;
  const CodeSlots slots(files_, image_.value().rooms());

  const auto slot = slots.find(::getpid(), reinterpret_cast<std::uint64_t>(::dlsym(RTLD_DEFAULT, "poll")));

  ASSERT_TRUE(slot);
  EXPECT_FALSE(slot->is_written);
  EXPECT_GE(slot->code.size(), stub_code().size());
  EXPECT_EQ(slot->address % 16, 0U);
}
#endif

TEST(Stub, code_is_whole_and_begins_inside_itself) {
  EXPECT_GT(stub_code().size(), 256U);
  EXPECT_LT(stub_code().size(), 2048U) << "it must fit behind the end of some library";
  EXPECT_LT(stub_entry_offset(), stub_code().size());
  EXPECT_LT(stub_work_offset(), stub_code().size());
  EXPECT_GT(stub_back_offset(), stub_entry_offset());
}

TEST(RemoteMemory, reading_ends_where_the_memory_does) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto* memory = static_cast<std::byte*>(
      ::mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ::munmap(memory + 2 * page, page);
  memory[100] = std::byte{7};
  std::vector<std::byte> into(4 * page);

  const auto from = reinterpret_cast<std::uint64_t>(memory) + 100;

  EXPECT_EQ(read_up_to(::getpid(), from, into), 2 * page - 100);
  EXPECT_EQ(into[0], std::byte{7});
  EXPECT_FALSE(read_memory(::getpid(), from, into));
  EXPECT_EQ(read_up_to(::getpid(), 8, into), 0U);
  ::munmap(memory, 2 * page);
}

TEST(Threads, waiting_thread_comes_before_the_main_thread) {
  std::promise<pid_t> started;
  std::promise<void> ended;
  std::thread waiting([&] {
    started.set_value(::gettid());
    EXPECT_EQ(ended.get_future().wait_for(base::kTestLimit), std::future_status::ready);
  });
  const pid_t tid = started.get_future().get();

  const std::vector<pid_t> found = find_candidates(::getpid());
  ended.set_value();
  waiting.join();

  EXPECT_THAT(found, Contains(tid));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.back(), ::getpid());
}

}  // namespace
}  // namespace lowtide::attach

#include "explain/source/python_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kTrain = R"(import functools
SEEN = {}

class Net:
    def __init__(self):
        self.outputs = []

    def validate(self, x):
        """history.append(x) in a docstring
        history.append(x)
        """
        self.outputs.append(x)  # history.append(x)

@functools.lru_cache(maxsize=256)
def read_frame(i):
    SEEN[i] = "history = []"
    return i

def main():
    history = []
    h = None
    for step in range(3):
        h = cell(step, h)
        out, h = cell2(step, h)
        history.append(h)
        old_history.append(h)
        if history == []:
            pass
    total: int = 0
    total += step
)";

TEST(PythonSource, line_has_no_indentation_and_no_comment) {
  const PythonSource source(kTrain);

  EXPECT_EQ(source.line(12), "self.outputs.append(x)");
  EXPECT_EQ(source.line(16), "SEEN[i] = \"history = []\"");
  EXPECT_EQ(source.line(10), "");  // in a docstring
  EXPECT_EQ(source.line(0), "");
  EXPECT_EQ(source.line(999), "");
}

TEST(PythonSource, function_around_a_line_is_the_innermost) {
  const PythonSource source(kTrain);

  EXPECT_EQ(source.function_around(12).first, 8U);
  EXPECT_EQ(source.function_around(25).first, 19U);
  EXPECT_EQ(source.function_around(25).last, 30U);
  EXPECT_EQ(source.function_around(2).first, 1U);
  EXPECT_EQ(source.function_around(2).last, 30U);
}

TEST(PythonSource, stores_are_found_by_whole_names_and_attributes) {
  const PythonSource source(kTrain);

  EXPECT_THAT(source.stores("history", source.function_around(25)), ElementsAre(25));
  EXPECT_THAT(source.stores("history", source.function_around(12)), IsEmpty());
  EXPECT_THAT(source.stores("net.outputs", source.all()), ElementsAre(12));
  EXPECT_THAT(source.stores("SEEN", source.all()), ElementsAre(16));
  EXPECT_THAT(source.stores("total", source.all()), ElementsAre(30));
}

TEST(PythonSource, insertion_into_a_sorted_list_or_a_heap_is_a_store) {
  const PythonSource source(
      "bisect.insort(self.ranked, entry, key=first)\n"
      "heapq.heappush(waiting, job)\n"
      "print(self.ranked, waiting)\n");
  EXPECT_EQ(source.stores("self.ranked", source.all()), std::vector<std::uint32_t>{1});
  EXPECT_EQ(source.stores("waiting", source.all()), std::vector<std::uint32_t>{2});
}

TEST(PythonSource, attribute_is_filled_by_the_variable_that_stands_for_it) {
  const PythonSource source(
      "def hook_for(self, name):\n"
      "    trace = self.traces[name]\n"
      "    copy = list(self.traces[name])\n"
      "    def hook(module, inputs, output):\n"
      "        trace.append(output)\n"
      "        copy.append(output)\n"
      "    return hook\n"
      "trace.append(0)\n");
  EXPECT_EQ(source.stores("probe.traces", source.all()), std::vector<std::uint32_t>{5});
  EXPECT_TRUE(source.stores("probe.other", source.all()).empty());
}

TEST(PythonSource, name_that_stands_for_an_attribute_twice_has_each_line_once) {
  const PythonSource source(
      "def collect(self, key):\n"
      "    if key:\n"
      "        rows = self.traces[key]\n"
      "    else:\n"
      "        rows = self.traces[0]\n"
      "    rows.append(1)\n"
      "def other():\n"
      "    seen.append(2)\n"
      "seen = probe.counts\n");
  EXPECT_EQ(source.stores("probe.traces", source.all()), std::vector<std::uint32_t>{6});
  EXPECT_TRUE(source.stores("probe.counts", source.all()).empty()) << "another `seen`, perhaps";
}

TEST(PythonSource, a_tensor_that_is_assigned_from_itself_is_carried) {
  const PythonSource source(kTrain);

  EXPECT_THAT(source.carries("h", source.function_around(25)), ElementsAre(23, 24));
  EXPECT_THAT(source.carries("total", source.all()), ElementsAre(30));
}

TEST(PythonSource, name_that_a_line_assigns_from_itself_is_found) {
  const PythonSource source(
      "out, state = cell(x, state)\nout = cell(x, state)\nif state == f(state):\nh = g(h)\n");

  EXPECT_EQ(source.carried_by(1), "state");
  EXPECT_EQ(source.carried_by(2), "");
  EXPECT_EQ(source.carried_by(3), "");
  EXPECT_EQ(source.carried_by(4), "h");
  EXPECT_EQ(source.carried_by(99), "");
}

TEST(PythonSource, creation_is_the_first_assignment_or_the_decorator_of_a_cache) {
  const PythonSource source(kTrain);

  EXPECT_EQ(source.creates("history", source.function_around(25)), 20U);
  EXPECT_EQ(source.creates("self.outputs", source.all()), 6U);
  EXPECT_EQ(source.creates("read_frame", source.all()), 14U);
  EXPECT_EQ(source.creates("total", source.all()), 29U);
  EXPECT_EQ(source.creates("nothing", source.all()), std::nullopt);
}

TEST(PythonSource, any_bytes_are_read) {
  for (const std::string& text :
       {std::string(), std::string("\0\0\n", 3), std::string(R"(""")"), std::string("'\\"),
        std::string("a[[["), std::string("def "), std::string("@cache\ndef f"), std::string(5000, '[')}) {
    const PythonSource source(text);
    EXPECT_LE(source.function_around(1).last, source.all().last);
    EXPECT_THAT(source.stores("a", source.all()), IsEmpty());
    EXPECT_THAT(source.carries("a", source.all()), IsEmpty());
    EXPECT_LE(source.creates("f", source.all()).value_or(0), source.all().last);
  }
}

TEST(PythonSource, knows_what_is_imported) {
  const PythonSource source(
      "import numpy\nfrom lxml import etree as tree\nindex = numpy.zeros(3)  # import index\n");

  EXPECT_TRUE(source.imports("numpy"));
  EXPECT_TRUE(source.imports("tree"));
  EXPECT_FALSE(source.imports("num"));
  EXPECT_FALSE(source.imports("index"));
}

TEST(PythonSource, knows_which_names_occur) {
  const PythonSource source("self._pending.clear()  # self._buffer\n");

  EXPECT_TRUE(source.mentions("_pending"));
  EXPECT_FALSE(source.mentions("_pend"));
  EXPECT_FALSE(source.mentions("_buffer"));
}

TEST(PythonSource, knows_what_is_called) {
  const PythonSource source(
      "from multiprocessing.shared_memory import SharedMemory\n"
      "class SharedMemory(Base):\n"
      "  block = shared_memory.SharedMemory('a', create=True)\n"
      "  other = SharedMemoryManager()  # SharedMemory()\n"
      "  return SharedMemory(name)\n");

  EXPECT_THAT(source.calls("SharedMemory"), ElementsAre(3, 5));
}

}  // namespace
}  // namespace lowtide::explain

// Compiled into shared objects with and without debuginfo. The line numbers are
// part of the test: elf_image_test.cpp knows them.

namespace shapes {

volatile int measure = 0;

[[gnu::always_inline]] inline void inner_inlined(int value) {
  measure = value;  // line 9
}

[[gnu::always_inline]] inline void outer_inlined(int value) {
  inner_inlined(value + 1);  // line 13
}

// The address of a label inside would be the clearest, but is not C++: the body
// is the inlined store and little else.
[[gnu::noinline]] void area(int value) {
  outer_inlined(value);  // line 19
}

}  // namespace shapes

extern "C" {

void* code_area() {
  return reinterpret_cast<void*>(&shapes::area);
}

int code_plain(int value) {
  return value * 3 + shapes::measure;
}

// Named, because only g++ leaves the names of such functions alone.
static int code_hidden(int value) asm("code_hidden");
[[gnu::noinline]] static int code_hidden(int value) {
  return value * 5 + shapes::measure;
}

int code_calls_hidden(int value) {
  return code_hidden(value) + shapes::measure;
}
}

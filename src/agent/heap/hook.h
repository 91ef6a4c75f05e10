// What a hook needs of the compiler and the linker.

#pragma once

// For a declaration of data that a hook reads: without it the compiler goes by the table of addresses (the
// GOT), which is one more instruction in each call.
#define LOWTIDE_OWN_DATA __attribute__((visibility("hidden")))

// How a function of the agent gets the name of the function that it replaces. Under its own name it would be
// the same function to the compiler, which knows what a malloc does and takes liberties with it.
#define LOWTIDE_HOOK(name) __asm__(#name) __attribute__((visibility("default")))

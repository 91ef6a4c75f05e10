// How a function of the agent gets the name of the function that it replaces.
//
// Under its own name it would be the same function to the compiler, which knows what a
// malloc does and takes liberties with it.

#pragma once

#define LOWTIDE_HOOK(name) __asm__(#name) __attribute__((visibility("default")))

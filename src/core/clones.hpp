#pragma once

/// Compiles a function for several instruction sets; the dynamic loader picks one (GNU ifunc). Everything it
/// calls must be MBLL_INLINE to be compiled along with it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define MBLL_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MBLL_CLONES
#endif
#define MBLL_INLINE inline __attribute__((always_inline))

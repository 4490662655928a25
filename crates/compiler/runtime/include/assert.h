/* Conditions that must hold, of public values. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition)                                                                          \
    ((condition) ? (void)0 : bc_assertion_failed(#condition, __FILE__, __LINE__))
#endif
#ifndef BLINDCORE_ASSERT_H
#define BLINDCORE_ASSERT_H
void bc_assertion_failed(const char *condition, const char *file, int line)
    __attribute__((noreturn));
#define static_assert _Static_assert
#endif

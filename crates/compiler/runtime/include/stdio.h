/* Public text: whoever runs the program reads it. A secret that is printed is refused. */
#ifndef BLINDCORE_STDIO_H
#define BLINDCORE_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#define EOF (-1)

int putchar(int byte);
int puts(const char *text);
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int vprintf(const char *format, va_list arguments);
int sprintf(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *to, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *to, size_t room, const char *format, va_list arguments);

#endif

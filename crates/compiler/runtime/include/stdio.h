/* Public text: whoever runs the program reads it. A secret that is printed is refused. */
#ifndef BLINDCORE_STDIO_H
#define BLINDCORE_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#define EOF (-1)

/* There is one place where text goes; both names are it. */
typedef struct bc_file FILE;
#define stdin ((FILE *)0)
#define stdout ((FILE *)1)
#define stderr ((FILE *)2)

int putchar(int byte);
int putc(int byte, FILE *file);
int fputc(int byte, FILE *file);
int puts(const char *text);
int fputs(const char *text, FILE *file);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
int fflush(FILE *file);
void perror(const char *text);
/* Nothing is ever read: a program's inputs are its variables. */
int getchar(void);
int getc(FILE *file);
int fgetc(FILE *file);
char *fgets(char *to, int size, FILE *file);
int scanf(const char *format, ...) __attribute__((format(scanf, 1, 2)));
int fprintf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int vfprintf(FILE *file, const char *format, va_list arguments);
int vsprintf(char *to, const char *format, va_list arguments);
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int vprintf(const char *format, va_list arguments);
int sprintf(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *to, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *to, size_t room, const char *format, va_list arguments);

#endif

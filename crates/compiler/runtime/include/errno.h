#ifndef BLINDCORE_ERRNO_H
#define BLINDCORE_ERRNO_H

#define EDOM 33
#define ERANGE 34
#define EILSEQ 84
#define EINVAL 22
#define ENOMEM 12

/* Set where a number in a text does not fit. */
extern int bc_errno;
#define errno bc_errno

#endif

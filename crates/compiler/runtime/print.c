/* Public text by `svc #1`. Formats branch on what they print, so a secret is refused here, with
 * this file's line. */

struct sink {
    char *at;       /* where text goes */
    size_t room;    /* bytes that fit */
    size_t count;   /* bytes that there are */
    size_t said;    /* bytes that there were before */
    int says;       /* whether a full buffer is said and used again */
};

static void emit(struct sink *sink, char byte)
{
    if (sink->says && sink->count == sink->room) {
        say(sink->at, sink->room);
        sink->said += sink->room;
        sink->count = 0;
    }
    if (sink->count < sink->room)
        sink->at[sink->count] = byte;
    sink->count++;
}

static void repeat(struct sink *sink, char byte, int count)
{
    while (count-- > 0)
        emit(sink, byte);
}

struct shape {
    int left, zeros, plus, blank, other, width, precision;
};

static void field(struct sink *sink, const struct shape *shape, const char *sign, int zeros,
                  const char *text, int length)
{
    int signs = (int)extent(sign, BC_UNKNOWN) - 1;
    int blank = shape->width - signs - length - (zeros > 0 ? zeros : 0);
    int pad_zeros = shape->zeros && !shape->left && shape->precision < 0;
    if (!shape->left && !pad_zeros)
        repeat(sink, ' ', blank);
    while (*sign)
        emit(sink, *sign++);
    repeat(sink, '0', zeros + (pad_zeros && blank > 0 ? blank : 0));
    for (int i = 0; i < length; i++)
        emit(sink, text[i]);
    if (shape->left)
        repeat(sink, ' ', blank);
}

static void number(struct sink *sink, const struct shape *shape, uint64_t value, int base,
                   int upper, const char *sign)
{
    char digits[24];
    int length = 0;
    for (; value != 0 || (length == 0 && shape->precision != 0); length++) {
        struct division d;
        if (value >> 32)
            d = divide(value, (uint64_t)base);
        else
            d = (struct division){(uint32_t)value / (uint32_t)base,
                                  (uint32_t)value % (uint32_t)base};
        int digit = (int)d.remainder;
        digits[sizeof(digits) - 1 - length] =
            (char)(digit < 10 ? '0' + digit : (upper ? 'A' : 'a') + digit - 10);
        value = d.quotient;
    }
    int zeros = shape->precision > length ? shape->precision - length : 0;
    field(sink, shape, sign, zeros, digits + sizeof(digits) - length, length);
}

/* Enough that the first digit is zero, as `#` asks for. */
static int octal_digits(uint64_t value, int at_least)
{
    int digits = 1;
    for (; value != 0; value >>= 3)
        digits++;
    return digits > at_least ? digits : at_least;
}

/* Takes the flags, width and precision behind a `%`. */
static const char *shaped(const char *format, struct shape *shape, va_list *arguments)
{
    *shape = (struct shape){.precision = -1};
    for (;; format++) {
        if (*format == '-')
            shape->left = 1;
        else if (*format == '0')
            shape->zeros = 1;
        else if (*format == '+')
            shape->plus = 1;
        else if (*format == ' ')
            shape->blank = 1;
        else if (*format == '#')
            shape->other = 1;
        else
            break;
    }
    int *numbers[] = {&shape->width, &shape->precision};
    for (int part = 0; part < 2; part++) {
        if (part == 1) {
            if (*format != '.')
                break;
            format++;
            shape->precision = 0;
        }
        if (*format == '*') {
            *numbers[part] = va_arg(*arguments, int);
            format++;
        }
        while (isdigit(*format))
            *numbers[part] = *numbers[part] * 10 + (*format++ - '0');
    }
    if (shape->width < 0) {
        shape->left = 1;
        shape->width = -shape->width;
    }
    return format;
}

static void put(struct sink *sink, const char *format, va_list *arguments)
{
    for (; *format; format++) {
        struct shape shape;
        int longs = 0, halves = 0;
        if (*format != '%') {
            emit(sink, *format);
            continue;
        }
        const char *percent = format;
        format = shaped(format + 1, &shape, arguments);
        for (; *format == 'l' || *format == 'h' || *format == 'z' || *format == 't'; format++) {
            longs += *format == 'l';
            halves += *format == 'h';
        }
        if (*format == 'j') {
            longs = 2;
            format++;
        }
        int wide = longs >= 2;
        switch (*format) {
        case 'd':
        case 'i': {
            int64_t value = wide ? va_arg(*arguments, int64_t) : va_arg(*arguments, int32_t);
            if (halves > 0)
                value = halves == 1 ? (int16_t)value : (int8_t)value;
            const char *sign = value < 0 ? "-" : shape.plus ? "+" : shape.blank ? " " : "";
            number(sink, &shape, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, 0, sign);
            break;
        }
        case 'u':
        case 'o':
        case 'x':
        case 'X': {
            uint64_t value = wide ? va_arg(*arguments, uint64_t) : va_arg(*arguments, uint32_t);
            int base = *format == 'u' ? 10 : *format == 'o' ? 8 : 16;
            if (halves > 0)
                value = halves == 1 ? (uint16_t)value : (uint8_t)value;
            const char *sign = "";
            if (shape.other && base == 16 && value != 0)
                sign = *format == 'X' ? "0X" : "0x";
            if (shape.other && base == 8)
                shape.precision = octal_digits(value, shape.precision);
            number(sink, &shape, value, base, *format == 'X', sign);
            break;
        }
        case 'p':
            number(sink, &shape, va_arg(*arguments, uint32_t), 16, 0, "0x");
            break;
        case 'c': {
            char byte = (char)va_arg(*arguments, int);
            field(sink, &shape, "", 0, &byte, 1);
            break;
        }
        case 's': {
            const char *text = va_arg(*arguments, const char *);
            int length = 0;
            while (length != shape.precision && text[length])
                length++;
            field(sink, &shape, "", 0, text, length);
            break;
        }
        case '%':
            emit(sink, '%');
            break;
        default: /* Floating point and the unknown, whose arguments have no known size: the rest
                  * is as it is written, so that no argument is shown in another one's place. */
            for (; *percent; percent++)
                emit(sink, *percent);
            return;
        }
    }
}

int vsnprintf(char *to, size_t room, const char *format, va_list arguments)
{
    struct sink sink = {to, room, 0, 0, 0};
    va_list copy;
    va_copy(copy, arguments);
    put(&sink, format, &copy);
    va_end(copy);
    if (room > 0)
        to[sink.count < room ? sink.count : room - 1] = 0;
    return (int)sink.count;
}

int vprintf(const char *format, va_list arguments)
{
    char buffer[128];
    struct sink sink = {buffer, sizeof(buffer), 0, 0, 1};
    va_list copy;
    va_copy(copy, arguments);
    put(&sink, format, &copy);
    va_end(copy);
    say(buffer, sink.count);
    return (int)(sink.said + sink.count);
}

#define WITH_ARGUMENTS(call)                                                                       \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    int count = call;                                                                              \
    va_end(arguments);                                                                             \
    return count

int printf(const char *format, ...) { WITH_ARGUMENTS(vprintf(format, arguments)); }
int sprintf(char *to, const char *format, ...)
{
    WITH_ARGUMENTS(vsnprintf(to, (size_t)-1, format, arguments));
}
int snprintf(char *to, size_t room, const char *format, ...)
{
    WITH_ARGUMENTS(vsnprintf(to, room, format, arguments));
}

int putchar(int byte)
{
    char one = (char)byte;
    say(&one, 1);
    return (unsigned char)byte;
}

int fputs(const char *text, FILE *file)
{
    (void)file;
    say(text, extent(text, BC_UNKNOWN) - 1);
    return 1;
}

int puts(const char *text)
{
    fputs(text, stdout);
    return putchar('\n') & 1;
}

int fputc(int byte, FILE *file)
{
    (void)file;
    return putchar(byte);
}
int putc(int byte, FILE *file) { return fputc(byte, file); }

size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    (void)file;
    say(from, size * count);
    return size == 0 ? 0 : count;
}

int fflush(FILE *file)
{
    (void)file; /* Nothing is kept. */
    return 0;
}

int vfprintf(FILE *file, const char *format, va_list arguments)
{
    (void)file;
    return vprintf(format, arguments);
}
int fprintf(FILE *file, const char *format, ...)
{
    WITH_ARGUMENTS(vfprintf(file, format, arguments));
}
int vsprintf(char *to, const char *format, va_list arguments)
{
    return vsnprintf(to, (size_t)-1, format, arguments);
}

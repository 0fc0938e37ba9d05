#include "json.h"

#include <string.h>

static const char *skip_value(const char *at, const char *end, int depth);

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
        at++;
    }
    return at;
}

static bool is_digit(char one) {
    return one >= '0' && one <= '9';
}

/* The value of a hexadecimal digit, -1 for any other byte. */
static int hex(char one) {
    return is_digit(one) ? one - '0' : one >= 'a' && one <= 'f' ? one - 'a' + 10 : one >= 'A' && one <= 'F' ? one - 'A' + 10 : -1;
}

/* Returns the end of a string, after its quotes; NULL for a malformed one. */
static const char *skip_string(const char *at, const char *end) {
    for (at++; at < end && *at != '"'; at++) {
        if ((unsigned char)*at < 0x20) {
            return NULL;
        }
        if (*at != '\\') {
            continue;
        }
        if (++at == end) {
            return NULL;
        }
        if (*at == 'u') {
            for (int i = 1; i <= 4; i++) {
                if (end - at <= i || hex(at[i]) < 0) {
                    return NULL;
                }
            }
            at += 4;
        } else if (*at == '\0' || strchr("\"\\/bfnrt", *at) == NULL) {
            return NULL;
        }
    }
    return at < end ? at + 1 : NULL;
}

static const char *skip_digits(const char *at, const char *end) {
    const char *from = at;
    while (at < end && is_digit(*at)) {
        at++;
    }
    return at == from ? NULL : at;
}

static const char *skip_number(const char *at, const char *end) {
    at += at < end && *at == '-';
    bool zero = at < end && *at == '0';
    const char *after = skip_digits(at, end);
    if (after == NULL || (zero && after != at + 1)) {
        return NULL;
    }
    if (after < end && *after == '.') {
        after = skip_digits(after + 1, end);
    }
    if (after != NULL && after < end && (*after == 'e' || *after == 'E')) {
        after++;
        after += after < end && (*after == '+' || *after == '-');
        after = skip_digits(after, end);
    }
    return after;
}

static const char *skip_word(const char *at, const char *end, const char *word) {
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 ? at + length : NULL;
}

/* Returns the end of an object or array, NULL for a malformed one. */
static const char *skip_nested(const char *at, const char *end, int depth) {
    bool is_object = *at == '{';
    char closing = is_object ? '}' : ']';
    if (depth == JSON_MOST_DEPTH) {
        return NULL;
    }
    at = skip_blanks(at + 1, end);
    if (at < end && *at == closing) {
        return at + 1;
    }
    for (;;) {
        if (is_object) {
            at = at < end && *at == '"' ? skip_string(at, end) : NULL;
            at = at == NULL ? NULL : skip_blanks(at, end);
            if (at == NULL || at == end || *at != ':') {
                return NULL;
            }
            at = skip_blanks(at + 1, end);
        }
        at = skip_value(at, end, depth + 1);
        at = at == NULL ? NULL : skip_blanks(at, end);
        if (at == NULL || at == end || (*at != ',' && *at != closing)) {
            return NULL;
        }
        if (*at == closing) {
            return at + 1;
        }
        at = skip_blanks(at + 1, end);
    }
}

/* Returns the end of a value, NULL for a malformed one. */
static const char *skip_value(const char *at, const char *end, int depth) {
    if (at >= end) {
        return NULL;
    }
    switch (*at) {
        case '{':
        case '[': return skip_nested(at, end, depth);
        case '"': return skip_string(at, end);
        case 't': return skip_word(at, end, "true");
        case 'f': return skip_word(at, end, "false");
        case 'n': return skip_word(at, end, "null");
        default: return skip_number(at, end);
    }
}

struct json json_read(const char *text, size_t length) {
    const char *end = text + length;
    const char *from = skip_blanks(text, end);
    const char *after = skip_value(from, end, 0);
    return after != NULL && skip_blanks(after, end) == end ? (struct json){from, after} : (struct json){NULL, NULL};
}

char json_kind(struct json value) {
    return value.from == NULL ? '\0' : *value.from;
}

/* What follows was checked as part of the whole text, so each step finds its end. */

struct json json_member(struct json object, const char *name) {
    struct json found = {NULL, NULL};
    if (json_kind(object) != '{') {
        return found;
    }
    const char *at = skip_blanks(object.from + 1, object.end);
    while (*at == '"') {
        struct json key = {at, skip_string(at, object.end)};
        at = skip_blanks(skip_blanks(key.end, object.end) + 1, object.end);
        struct json value = {at, skip_value(at, object.end, 0)};
        if (json_is(key, name)) {
            found = value;
        }
        at = skip_blanks(value.end, object.end);
        at = skip_blanks(at + 1, object.end);
        if (at >= object.end) {
            break;
        }
    }
    return found;
}

struct json json_element(struct json array, struct json after) {
    if (json_kind(array) != '[') {
        return (struct json){NULL, NULL};
    }
    const char *at = skip_blanks(after.from == NULL ? array.from : after.end, array.end);
    if (*at == ']') {
        return (struct json){NULL, NULL};
    }
    at = skip_blanks(at + 1, array.end);
    const char *end = *at == ']' ? NULL : skip_value(at, array.end, 0);
    return end == NULL ? (struct json){NULL, NULL} : (struct json){at, end};
}

/* Decodes the escape after a backslash, and moves to its last byte. */
static char unescape(const char **at) {
    static const char escapes[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    if (**at != 'u') {
        return meant[strchr(escapes, **at) - escapes];
    }
    const char *digits = *at + 1;
    *at += 4;
    bool ascii = digits[0] == '0' && digits[1] == '0' && hex(digits[2]) < 8;
    return ascii ? (char)(hex(digits[2]) * 16 + hex(digits[3])) : '?';
}

bool json_text(struct json value, char *into, size_t size) {
    size_t length = 0;
    if (json_kind(value) != '"') {
        return false;
    }
    for (const char *at = value.from + 1; at < value.end - 1; at++) {
        char one = *at;
        if (one == '\\') {
            at++;
            one = unescape(&at);
        }
        if (one == '\0' || length + 1 >= size) {
            return false;
        }
        into[length++] = one;
    }
    into[length] = '\0';
    return size > 0;
}

bool json_is(struct json value, const char *text) {
    char decoded[128];
    return json_text(value, decoded, sizeof decoded) && strcmp(decoded, text) == 0;
}

/*
 * A reader of JSON that copies nothing and takes no memory: a value is a span of the text. Spec: RFC 8259.
 */
#ifndef REMORA_JSON_H
#define REMORA_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* Bounds: values within values. */
enum { JSON_MOST_DEPTH = 32 };

/* A value with no blanks around it; from is NULL for a value that is not there. */
struct json {
    const char *from;
    const char *end;
};

/* The value that a text consists of; one that is not there if the text is malformed or has anything after it. */
struct json json_read(const char *text, size_t length);

/* The first byte of a value, which tells its kind: one of { [ " t f n - and digits; 0 for one that is not there. */
char json_kind(struct json value);

/* The member of an object by its name, the last one of several; one that is not there if the value is no object, or has no such member. */
struct json json_member(struct json object, const char *name);

/* Steps through the elements of an array: the first where "after" is not there. */
struct json json_element(struct json array, struct json after);

/* Decodes a string; a character outside ASCII that is escaped becomes '?'. False if it is no string, has a zero, or does not fit. */
bool json_text(struct json value, char *into, size_t size);

/* Tells if a value is this string. */
bool json_is(struct json value, const char *text);

#endif

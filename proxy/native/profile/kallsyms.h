/* The addresses and names of the kernel's functions, from /proc/kallsyms. */
#ifndef REMORA_KALLSYMS_H
#define REMORA_KALLSYMS_H

#include <stdint.h>

/* Reads the file. Returns the number of functions; 0 if the kernel hides their addresses or memory is short. */
long kallsyms_read(void);

/* Returns the address of the function that contains an address, or 0 if none does. */
uint64_t kallsyms_function(uint64_t address);

/* Frees the memory. */
void kallsyms_free(void);

/* Receives the name of a function, whose number is its index. A function that has several names is received several times. */
typedef void take_name(void *context, long number, const char *name);

/* Reads the file for the names of functions. Their addresses are in ascending order. */
void kallsyms_names(const uint64_t *starts, long count, take_name *take, void *context);

#endif

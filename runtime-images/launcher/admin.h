/*
 * Commands for a running sidecar, over HTTP on its admin or health listener. They start no JVM, so that a container's hooks and exec probes
 * can use them.
 */
#ifndef REMORA_ADMIN_H
#define REMORA_ADMIN_H

#include <stdbool.h>

/* Exit status of a command that the sidecar answered otherwise than with success, or of a wait that timed out. */
enum { EXIT_REFUSED = 1 };

/* Returns whether a word is one of these commands. */
bool is_admin_command(const char *word);

/* Runs the command in the first argument, and returns the exit status. */
int run_admin_command(int count, char **arguments);

#endif

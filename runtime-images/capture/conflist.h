/*
 * The entry of the plugin in a list of CNI plugins. The list belongs to another program: all of it but the entry stays as it is, byte by byte.
 */
#ifndef REMORA_CONFLIST_H
#define REMORA_CONFLIST_H

#include "rules.h"

enum conflist_state { ENTRY_PRESENT, ENTRY_ABSENT, NO_LIST };

/* Tells if the list in a folder has the entry. */
enum conflist_state conflist_state(int folder, const char *name, struct problem *why);

/* Adds the entry at the end of the list, or removes it; does nothing where that is so already. The file changes at once or not at all. */
bool conflist_write(int folder, const char *name, bool present, struct problem *why);

#endif

/*
 * The entry of the plugin in a list of CNI plugins. The list belongs to another program: all of it but the entry stays as it is, byte by byte.
 *
 * A configuration of a single plugin has no place for an entry. It stays as it is, and a list of our own with its plugin and ours is put before it,
 * which container runtimes take because its name comes first. Without that list, the node is as it was.
 */
#ifndef REMORA_CONFLIST_H
#define REMORA_CONFLIST_H

#include "rules.h"

/* An old entry is a list of our own for what a configuration was before. */
enum conflist_state { ENTRY_PRESENT, ENTRY_OLD, ENTRY_ABSENT, NO_LIST };

/* Tells if a configuration, which is not one of our own lists, has the entry. */
enum conflist_state conflist_state(int folder, const char *name, struct problem *why);

/* Adds the entry of a configuration, or removes it; does nothing where that is so already. The file changes at once or not at all. */
bool conflist_write(int folder, const char *name, bool present, struct problem *why);

/* Tells if container runtimes read a file with this name; the first in order is theirs. */
bool conflist_is_configuration(const char *name);

/* Tells if a file with this name is a list of our own. */
bool conflist_is_own(const char *name);

/* Tells if a file with this name is the list of our own for a configuration, whose name may be empty. */
bool conflist_is_own_of(const char *name, const char *configuration);

#endif

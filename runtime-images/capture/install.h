/*
 * The installer of the CNI plugin, for a DaemonSet: puts the program and its entry in place, and keeps them there.
 */
#ifndef REMORA_INSTALL_H
#define REMORA_INSTALL_H

#include "rules.h"

struct folders {
    const char *programs;       /* --cni-bin */
    const char *configurations; /* --cni-conf */
};

/* Installs the plugin, adds its entry again whenever another program rewrites the list, and removes both on SIGTERM. Returns the exit status. */
int install_plugin(const struct folders *folders);

/* Removes the plugin and its entry. */
bool uninstall_plugin(const struct folders *folders, struct problem *why);

/* Tells if the program is there, and its entry in the list that a container runtime takes. */
bool is_installed(const struct folders *folders, struct problem *why);

#endif

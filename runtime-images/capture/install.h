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

/*
 * Installs the plugin, and until SIGTERM mends what another program removes. The plugin stays when this ends, so that pods are captured while no
 * installer runs. Returns the exit status.
 */
int install_plugin(const struct folders *folders);

/* Waits for SIGTERM, as a DaemonSet restarts a container that ends. Returns the exit status. */
int await_end(void);

/* Removes the plugin and its entry, unless an installer runs. */
bool uninstall_plugin(const struct folders *folders, struct problem *why);

/* Tells if the program is there, and its entry in the list that a container runtime takes. */
bool is_installed(const struct folders *folders, struct problem *why);

#endif

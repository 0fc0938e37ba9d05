/*
 * The chained CNI plugin remora-cni: sets the rules in the network namespace of a pod whose annotations ask for them.
 * Spec: CNI 0.3.1 to 1.1.0.
 */
#ifndef REMORA_CNI_H
#define REMORA_CNI_H

#include <stdbool.h>

/* The plugin's name, which is that of its program, and its type in a configuration. */
#define CNI_NAME "remora-cni"

/* The capability by which a container runtime hands the annotations over. */
#define CNI_ANNOTATIONS "io.kubernetes.cri.pod-annotations"

/* Tells if the plugin can be part of a configuration of this version. */
bool cni_supports(const char *version);

/* Does what the environment and standard input ask for, and returns the exit status. */
int run_plugin(void);

#endif

/* Samples of what the VM reports in the thread that it happens in: allocations, and waits for monitors. */
#ifndef REMORA_EVENTS_H
#define REMORA_EVENTS_H

#include "ring.h"

#include <jvmti.h>

/* Has an object sampled once per interval, in bytes that a thread allocates. Returns NULL, or why it cannot. */
const char *allocations_start(jvmtiEnv *jvmti, jint interval);

/* Has each wait for a monitor recorded, as it ends. Returns NULL, or why it cannot. */
const char *waits_start(jvmtiEnv *jvmti);

/* Switches both off, gives the VM its interval and its capabilities back, and frees the buffer's memory. */
void events_stop(jvmtiEnv *jvmti);

#endif

/** Advice on the profile and the limit of a running sidecar, from the peaks that it keeps. Loaded by the command alone. */
@NullMarked
package io.remora.advise;

import org.jspecify.annotations.NullMarked;

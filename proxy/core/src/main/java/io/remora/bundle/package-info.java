/** Support bundles of a running sidecar: its pages, without what could be a secret. Loaded by the command alone. */
@NullMarked
package io.remora.bundle;

import org.jspecify.annotations.NullMarked;

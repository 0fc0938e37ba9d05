/** Faults that are put into a real sidecar from the outside, so that the conformance test can be seen to catch them. */
@NullMarked
package io.remora.loadtest.faults;

import org.jspecify.annotations.NullMarked;

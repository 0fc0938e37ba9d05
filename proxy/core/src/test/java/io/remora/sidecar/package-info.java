/**
 * Tests of the whole sidecar that belong to no package of it: its life from start to drain, and everything at once under load and
 * faults. They know the test kit only.
 */
@NullMarked
package io.remora.sidecar;

import org.jspecify.annotations.NullMarked;

/**
 * Tests of the page docs/why-slow.md: each plants a cause in a sidecar that the launcher starts, and reads its name from
 * the commands of the page.
 */
@NullMarked
package io.remora.whyslow;

import org.jspecify.annotations.NullMarked;

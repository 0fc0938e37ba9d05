/** Reloads: a file is read and judged again, and replaces the running configuration. Loaded by the first reload. */
@NullMarked
package io.remora.reload;

import org.jspecify.annotations.NullMarked;

/** The configuration of the warm-up: its record, with its keys, and its reader and rule. The warm-up itself stands above all that it warms. */
@NullMarked
package io.remora.warmupkeys;

import org.jspecify.annotations.NullMarked;

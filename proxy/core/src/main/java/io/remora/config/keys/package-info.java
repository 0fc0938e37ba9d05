/**
 * The declarations of the keys, each once: its name, how its value is written, its range and its default. The reader, {@code
 * /config}, the table in docs/configuration.md and the JSON Schema follow them.
 */
@NullMarked
package io.remora.config.keys;

import org.jspecify.annotations.NullMarked;

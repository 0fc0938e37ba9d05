/**
 * The declarations of the configuration keys: name, unit, range and default of each. The reader, {@code
 * /config}, the table in docs/configuration.md and the JSON Schema follow them.
 */
@NullMarked
package io.remora.config.keys;

import org.jspecify.annotations.NullMarked;

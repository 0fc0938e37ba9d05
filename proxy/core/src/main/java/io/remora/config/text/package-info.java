/** Writers that show a model on {@code /config}, as the YAML from which it would be read. */
@NullMarked
package io.remora.config.text;

import org.jspecify.annotations.NullMarked;

/** Writers that show a model on {@code /config} as the YAML that would be read into it. */
@NullMarked
package io.remora.config.text;

import org.jspecify.annotations.NullMarked;

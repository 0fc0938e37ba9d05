/** Rules that judge a model, wherever it came from. */
@NullMarked
package io.remora.config.rules;

import org.jspecify.annotations.NullMarked;

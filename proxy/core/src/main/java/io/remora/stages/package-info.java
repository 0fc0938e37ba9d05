/** What every request passes, a class for each; {@code io.remora.serving.Stages} lists them in order. */
@NullMarked
package io.remora.stages;

import org.jspecify.annotations.NullMarked;

/** The stages of the proxy itself, a class for each; {@code io.remora.serving.Stages} adds them at their {@code io.remora.feature.Slot}. */
@NullMarked
package io.remora.stages;

import org.jspecify.annotations.NullMarked;

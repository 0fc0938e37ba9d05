/**
 * Judges a configuration before anything is bound: against the engine, the image and the files at hand. {@code remora check}, {@code remora run} and a
 * reload share it.
 */
@NullMarked
package io.remora.check;

import org.jspecify.annotations.NullMarked;

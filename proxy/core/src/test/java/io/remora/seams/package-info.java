/** Second implementations of what the data path is made of, for the tests that run traffic over them. */
@NullMarked
package io.remora.seams;

import org.jspecify.annotations.NullMarked;

/** JSON as the sources of endpoints speak it: read value by value, never held as a tree. */
@NullMarked
package io.remora.json;

import org.jspecify.annotations.NullMarked;

/** JSON as sources of endpoints and collectors of traces speak it: read value by value, never held as a tree. */
@NullMarked
package io.remora.json;

import org.jspecify.annotations.NullMarked;

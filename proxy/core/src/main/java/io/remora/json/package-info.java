/** A JSON reader and its buffer: values one by one, never a tree. */
@NullMarked
package io.remora.json;

import org.jspecify.annotations.NullMarked;

/** JSON: a reader of values one by one, and a reader and a writer of whole trees. */
@NullMarked
package io.remora.json;

import org.jspecify.annotations.NullMarked;

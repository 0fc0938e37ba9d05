/** Where endpoints come from. */
@NullMarked
package io.remora.naming;

import org.jspecify.annotations.NullMarked;

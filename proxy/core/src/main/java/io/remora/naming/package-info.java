/** Where endpoints come from: a static list. */
@NullMarked
package io.remora.naming;

import org.jspecify.annotations.NullMarked;

/** The operator's listener and the health listener, on a thread of their own. */
@NullMarked
package io.remora.admin;

import org.jspecify.annotations.NullMarked;

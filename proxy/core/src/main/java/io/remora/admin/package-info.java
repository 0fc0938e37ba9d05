/** The admin listener and the health listener, which share a separate thread. */
@NullMarked
package io.remora.admin;

import org.jspecify.annotations.NullMarked;

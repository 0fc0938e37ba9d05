/** A client of the admin listener, for commands that ask a running sidecar. No sidecar loads any of it. */
@NullMarked
package io.remora.adminclient;

import org.jspecify.annotations.NullMarked;

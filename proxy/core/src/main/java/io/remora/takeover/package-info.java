/**
 * How one process follows another: by sockets that a running sidecar or a service manager hands over, and by what a service manager is
 * told. Nothing of it is loaded where nobody asks for it.
 */
@NullMarked
package io.remora.takeover;

import org.jspecify.annotations.NullMarked;

/**
 * Sockets that a running sidecar or a service manager hands over, and notifications to a service manager. Nothing of it is loaded where nobody asks for it.
 */
@NullMarked
package io.remora.takeover;

import org.jspecify.annotations.NullMarked;

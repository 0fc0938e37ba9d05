/** The mutating webhook of Kubernetes that adds the sidecar to pods: its server, its certificates and its registration. */
@NullMarked
package io.remora.webhook;

import org.jspecify.annotations.NullMarked;

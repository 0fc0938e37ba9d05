/**
 * Sources of endpoints with an HTTP API: Consul and Kubernetes.
 *
 * <p>Each has a thread, which blocks while an event loop carries its question by the proxy's own client, as one more cluster.
 */
@NullMarked
package io.remora.source;

import org.jspecify.annotations.NullMarked;

/**
 * Sources of endpoints that are asked over HTTP: Consul and Kubernetes.
 *
 * <p>Each has a thread, which blocks while an event loop carries its question by the proxy's own client, as one more cluster.
 */
@NullMarked
package io.remora.source;

import org.jspecify.annotations.NullMarked;

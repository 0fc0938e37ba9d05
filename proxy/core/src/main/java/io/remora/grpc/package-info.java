/** Calls of gRPC in an exchange: their status, what they say of their endpoint, and the sidecar's own responses to them. */
@NullMarked
package io.remora.grpc;

import org.jspecify.annotations.NullMarked;

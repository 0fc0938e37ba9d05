/** Deadlines of calls of gRPC, and counters of their methods, for listeners that speak HTTP/2. */
@NullMarked
package io.remora.feature.grpc;

import org.jspecify.annotations.NullMarked;

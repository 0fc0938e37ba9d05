/** The data path under faults and load, and what it makes of good traffic: real sockets, one sidecar a test. */
@NullMarked
package io.remora.dataplane;

import org.jspecify.annotations.NullMarked;

/**
 * What tests on real sockets are made of: a raw client, a backend that records, a strict judge of bytes, and a sidecar
 * between.
 */
@NullMarked
package io.remora.testkit;

import org.jspecify.annotations.NullMarked;

/**
 * What a sidecar is told: records, and the reader that fills and judges them. Uses the JDK and the YAML parser only.
 */
@NullMarked
package io.remora.config;

import org.jspecify.annotations.NullMarked;

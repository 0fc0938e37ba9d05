/**
 * What a sidecar is told: records, the keys of the file, and the reader that fills and judges the records. Uses the JDK,
 * the YAML parser and {@link io.remora.text} only.
 */
@NullMarked
package io.remora.config;

import org.jspecify.annotations.NullMarked;

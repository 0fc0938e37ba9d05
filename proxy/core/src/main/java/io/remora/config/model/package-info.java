/**
 * The configuration as records: listeners, routes, clusters and settings of the operator. Nothing here knows how a
 * file is written; {@link io.remora.config.model.PlacedText} and the places of TLS still say where one says it. Uses the JDK and
 * {@link io.remora.text} only.
 */
@NullMarked
package io.remora.config.model;

import org.jspecify.annotations.NullMarked;

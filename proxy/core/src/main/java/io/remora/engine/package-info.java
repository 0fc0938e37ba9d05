/**
 * The seam between an exchange and the engine, which names endpoints, balances and connects.
 *
 * <p>The package {@code cluster} is the engine that Remora starts with. Frontends, rules, stages, metrics and
 * configuration belong to no engine.
 */
@NullMarked
package io.remora.engine;

import org.jspecify.annotations.NullMarked;

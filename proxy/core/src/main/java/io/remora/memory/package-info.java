/**
 * The memory that traffic may take. {@link io.remora.memory.MemoryPlan} divides the limit, a {@link
 * io.remora.memory.LoopBudget} accounts for each event loop, and {@link io.remora.memory.MemoryWatch} watches the usage.
 */
@NullMarked
package io.remora.memory;

import org.jspecify.annotations.NullMarked;

/**
 * The memory that traffic may take: what the limit allows ({@link io.remora.memory.MemoryPlan}), what each event loop has
 * handed out of it ({@link io.remora.memory.LoopBudget}), and how near the limit the process is ({@link
 * io.remora.memory.MemoryWatch}).
 */
@NullMarked
package io.remora.memory;

import org.jspecify.annotations.NullMarked;

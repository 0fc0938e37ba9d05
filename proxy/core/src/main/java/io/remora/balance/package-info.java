/** Balancers: the choice of an endpoint for each attempt. Pure: nothing here connects, waits or reads a clock. */
@NullMarked
package io.remora.balance;

import org.jspecify.annotations.NullMarked;

/** Which endpoint the next attempt goes to. Pure: nothing here connects, waits or reads a clock. */
@NullMarked
package io.remora.balance;

import org.jspecify.annotations.NullMarked;

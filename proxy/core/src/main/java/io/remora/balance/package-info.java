/** Which endpoint of a cluster serves the next exchange. */
@NullMarked
package io.remora.balance;

import org.jspecify.annotations.NullMarked;

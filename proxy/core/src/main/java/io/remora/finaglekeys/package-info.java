/** The configuration of Finagle's engine: names, delegations, announcements and filters, with their keys and their reader. */
@NullMarked
package io.remora.finaglekeys;

import org.jspecify.annotations.NullMarked;

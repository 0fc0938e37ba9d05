/** Event loops and what belongs to one: its clock, its deadlines; and the sockets that are listened on. */
@NullMarked
package io.remora.transport;

import org.jspecify.annotations.NullMarked;

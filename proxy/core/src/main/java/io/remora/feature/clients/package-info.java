/** Lists of the clients that a listener or a route admits, by their addresses. */
@NullMarked
package io.remora.feature.clients;

import org.jspecify.annotations.NullMarked;

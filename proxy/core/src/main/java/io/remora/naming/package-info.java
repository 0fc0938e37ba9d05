/** Resolvers: endpoints from the configuration, a file or DNS, and changes to them. */
@NullMarked
package io.remora.naming;

import org.jspecify.annotations.NullMarked;

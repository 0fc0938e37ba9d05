/** Characters: addresses, hosts, paths and their spellings. Uses the JDK only. */
@NullMarked
package io.remora.text;

import org.jspecify.annotations.NullMarked;

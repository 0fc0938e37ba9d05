/** A watch over files that change while the process runs; it reports a change once the file has come to rest. */
@NullMarked
package io.remora.files;

import org.jspecify.annotations.NullMarked;

/** Files that change while the process runs: whoever reads some is told when they have changed and come to rest. */
@NullMarked
package io.remora.files;

import org.jspecify.annotations.NullMarked;

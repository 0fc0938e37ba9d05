/** Injection of the sidecar into Kubernetes pods: annotations, settings of the operator, and the command {@code inject}. */
@NullMarked
package io.remora.inject;

import org.jspecify.annotations.NullMarked;

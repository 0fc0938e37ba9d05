/** Probes of the applications in the pod, which the health listener carries out for the kubelet. */
@NullMarked
package io.remora.probes;

import org.jspecify.annotations.NullMarked;

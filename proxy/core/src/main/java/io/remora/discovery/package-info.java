/**
 * The configuration of the sources of a cluster's endpoints: files, DNS, Consul and Kubernetes. It has the keys, records, readers and
 * writers of {@code resolver}, and the reader of lists of endpoints.
 */
@NullMarked
package io.remora.discovery;

import org.jspecify.annotations.NullMarked;

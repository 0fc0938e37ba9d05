/** The configuration of clusters that stand for one cluster for each host: their keys and records, and the cluster of a host. */
@NullMarked
package io.remora.template;

import org.jspecify.annotations.NullMarked;

/**
 * Optional features, a package for each: {@link io.remora.feature.FeatureList} lists them, and {@link io.remora.feature.Slot} the places on
 * the path of a request. Nothing of a feature's package is loaded where it is not configured.
 */
@NullMarked
package io.remora.feature;

import org.jspecify.annotations.NullMarked;

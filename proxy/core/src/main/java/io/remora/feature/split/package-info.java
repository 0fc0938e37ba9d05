/** Routes that lead to several clusters: the choice of one for each request, by weight, or by a sticky part of the request. */
@NullMarked
package io.remora.feature.split;

import org.jspecify.annotations.NullMarked;

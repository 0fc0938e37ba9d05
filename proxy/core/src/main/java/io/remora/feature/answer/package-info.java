/** Routes that answer instead of an endpoint, by a redirect or by a response of their own. */
@NullMarked
package io.remora.feature.answer;

import org.jspecify.annotations.NullMarked;

/**
 * The rules of HTTP that the sidecar keeps, a test each, named after their numbers in {@code docs/http-conformance.md}.
 */
@NullMarked
package io.remora.http.rules;

import org.jspecify.annotations.NullMarked;

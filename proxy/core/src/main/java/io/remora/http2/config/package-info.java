/** The configuration of HTTP/2: the records of both sides, their keys, and the readers that fill them. Loaded only where it is spoken. */
@NullMarked
package io.remora.http2.config;

import org.jspecify.annotations.NullMarked;

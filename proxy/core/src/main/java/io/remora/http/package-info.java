/**
 * HTTP without a wire: heads of requests and responses that do not know their version, and one function per RFC rule.
 * Pure: no channel, no clock, no state beyond the message.
 */
@NullMarked
package io.remora.http;

import org.jspecify.annotations.NullMarked;

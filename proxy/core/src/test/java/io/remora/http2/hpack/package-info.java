/** HPACK judged by the examples of its RFC, and by Netty's and nghttp2's. */
package io.remora.http2.hpack;

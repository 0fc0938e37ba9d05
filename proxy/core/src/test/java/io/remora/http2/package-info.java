/** HTTP/2 on listeners, judged frame by frame at the client and byte by byte at a recording HTTP/1.1 backend. */
package io.remora.http2;

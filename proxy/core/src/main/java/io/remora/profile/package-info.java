/** Profiles of the running sidecar, taken through a native library of our own ({@code proxy/native/profile}). */
@NullMarked
package io.remora.profile;

import org.jspecify.annotations.NullMarked;

/** Rules on a whole model and between the parts of a listener, and refusals of an engine. All other rules are the readers'. */
@NullMarked
package io.remora.config.rules;

import org.jspecify.annotations.NullMarked;

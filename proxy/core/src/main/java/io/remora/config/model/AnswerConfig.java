package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * What a route answers in an endpoint's place.
 *
 * @param redirect null where it is no redirect
 * @param body of visible ASCII and line ends, empty for none
 * @param contentType of the body
 */
public record AnswerConfig(int status, @Nullable RedirectConfig redirect, String body, String contentType) {}

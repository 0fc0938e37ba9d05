package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * The response of a route that answers instead of an endpoint.
 *
 * @param redirect null where it is no redirect
 * @param body of visible ASCII and line ends, empty for none
 * @param contentType of the body
 */
public record AnswerConfig(int status, @Nullable RedirectConfig redirect, String body, String contentType) {}

package io.remora.config.model;

/** The severity of a log line, least severe first. */
public enum LogLevel {
    DEBUG,
    INFO,
    WARN,
    ERROR
}

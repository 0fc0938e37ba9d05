package io.remora.config.model;

/** How severe a log line is, least severe first. */
public enum LogLevel {
    DEBUG,
    INFO,
    WARN,
    ERROR
}

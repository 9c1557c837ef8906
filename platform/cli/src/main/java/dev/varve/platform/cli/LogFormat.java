package dev.varve.platform.cli;

import java.util.logging.Formatter;

/** Formats of the log's lines. */
enum LogFormat {
    TEXT,
    JSON;

    /** Returns a formatter, which several handlers may share. */
    Formatter formatter() {
        return switch (this) {
            case TEXT -> new TextLogFormatter();
            case JSON -> new JsonLogFormatter();
        };
    }
}

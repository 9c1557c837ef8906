package dev.varve.platform.cli;

import java.util.logging.Level;

/** Log levels; each level includes the ones before it. */
enum LogLevel {
    OFF(Level.OFF),
    ERROR(Level.SEVERE),
    WARNING(Level.WARNING),
    INFO(Level.INFO),
    DEBUG(Level.FINE),
    TRACE(Level.FINEST);

    private final Level level;

    LogLevel(Level level) {
        this.level = level;
    }

    Level level() {
        return level;
    }
}

package dev.varve.bench.http;

import java.util.Locale;

/** What can be measured. */
enum Scenario {
    CLIENTS,
    LONG,
    TURN,
    FIRST,
    CURVE;

    /** As in commands and in JSON. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

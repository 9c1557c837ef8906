package dev.varve.bench.http;

import java.util.Locale;

/** A scenario that can be measured. */
enum Scenario {
    CLIENTS,
    LONG,
    TURN,
    CONVERSATION,
    FIRST,
    CURVE;

    /** Returns the name in commands and in JSON. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

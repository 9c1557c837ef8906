package dev.varve.platform.http;

/** What a route is for, and so who gets in. */
enum Purpose {
    /** Tells whether the server lives; to whoever asks, without a key. */
    LIFE_SIGN,
    /** Tells how the server does. */
    MEASUREMENT,
    /** What the server is there for. */
    SERVICE;

    /** Whether it is asked for often, and must be answered however many connections there are. */
    boolean isProbe() {
        return this != SERVICE;
    }

    /** Whether no key is needed. */
    boolean isOpen() {
        return this == LIFE_SIGN;
    }
}

package dev.varve.platform.http.access;

/** What a route is for, and so who gets in. */
public enum RouteAccess {
    /** Tells whether the server lives; to whoever asks, without a key. */
    LIFE_SIGN,
    /** The page that the server shows to browsers, which tells no secret; without a key. */
    PAGE,
    /** Tells how the server does; without a key where the server is told so. */
    MEASUREMENT,
    /** Shows or changes what concerns all callers; for who runs the server. */
    OPERATION,
    /** Shows what the server does for all, and what is own; whoever runs it may look as well. */
    OVERSIGHT,
    /** What the server is there for. */
    SERVICE;

    /** Whether it is asked for often, and must be answered however many connections there are. */
    public boolean isProbe() {
        return this == LIFE_SIGN || this == MEASUREMENT;
    }

    /** Whether a request for it is no event that the log should tell. */
    public boolean isQuiet() {
        return isProbe() || this == PAGE;
    }

    /** Whether no key is needed. */
    public boolean isOpen() {
        return this == LIFE_SIGN || this == PAGE;
    }
}

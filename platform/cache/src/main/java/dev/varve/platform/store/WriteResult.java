package dev.varve.platform.store;

/** What became of an object that was to be written. */
public enum WriteResult {
    /** It is there now. */
    WRITTEN,
    /** It was there before. */
    KNOWN,
    /** There is no room for it, or its parent is not there. */
    NO_ROOM,
    /** It could not be written. */
    FAILED;

    /** Whether it is there. */
    public boolean isThere() {
        return this == WRITTEN || this == KNOWN;
    }
}

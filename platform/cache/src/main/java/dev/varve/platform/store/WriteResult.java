package dev.varve.platform.store;

/** Result of the write of an object. */
public enum WriteResult {
    /** It was written. */
    WRITTEN,
    /** It existed already. */
    KNOWN,
    /** There is no room for it, or its parent does not exist. */
    NO_SPACE,
    /** It could not be written. */
    FAILED;

    /** Whether the object exists now. */
    public boolean isStored() {
        return this == WRITTEN || this == KNOWN;
    }
}

package dev.varve.api.snapshot;

/** What a store is opened for. */
public enum StoreAccess {
    /** A new one is made; there must be nothing at its path. */
    CREATE,
    /** One that its last writer closed is read and added to. */
    WRITE,
    /** One that its last writer left without closing it: it is mended first. */
    RECOVER,
    /** One is read that another process may have open for writing. */
    READ
}

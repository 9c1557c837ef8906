package dev.varve.api.snapshot;

/** Purpose for which a store is opened. */
public enum StoreAccess {
    /** Creates a new store; nothing may exist at its path. */
    CREATE,
    /** Reads and writes a store that its last writer closed. */
    WRITE,
    /** Repairs a store that its last writer did not close, then reads and writes it. */
    RECOVER,
    /** Reads a store that another process may have open for writing. */
    READ
}

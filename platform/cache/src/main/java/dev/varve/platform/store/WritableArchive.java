package dev.varve.platform.store;

/** Where objects are written to. Thread-safe. */
public interface WritableArchive {
    /** Whether objects can be written at the moment. */
    boolean takesMore();

    /**
     * Writes an object, on the caller's thread. It is there as a whole or not at all; one that is
     * there already stays.
     */
    WriteResult write(ObjectDescriptor name, ObjectSource source);
}

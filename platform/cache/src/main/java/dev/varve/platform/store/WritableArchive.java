package dev.varve.platform.store;

/** An archive that accepts objects. Thread-safe. */
public interface WritableArchive {
    /** Whether it accepts writes at the moment. */
    boolean acceptsWrites();

    /**
     * Writes an object, on the caller's thread. The write is atomic; an object that already exists
     * stays.
     */
    WriteResult write(ObjectDescriptor name, ObjectSource source);
}

package dev.varve.platform.store;

/** Where objects are read from. */
@FunctionalInterface
public interface ReadableArchive {
    /**
     * Reads an object, on the caller's thread.
     *
     * @throws ArchiveMissException if it cannot be had, after which some of it may have been taken
     */
    void read(ObjectKey key, ObjectTarget target) throws ArchiveMissException;
}

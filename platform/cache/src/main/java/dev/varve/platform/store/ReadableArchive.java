package dev.varve.platform.store;

/** An archive from which objects are read. */
@FunctionalInterface
public interface ReadableArchive {
    /**
     * Reads an object, on the caller's thread.
     *
     * @throws ArchiveMissException if it cannot be read; the target may have received a part of it
     */
    void read(ObjectKey key, ObjectTarget target) throws ArchiveMissException;
}

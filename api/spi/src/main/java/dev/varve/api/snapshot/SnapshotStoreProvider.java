package dev.varve.api.snapshot;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A kind of store; found with {@link java.util.ServiceLoader}.
 *
 * <p>One instance per process, thread-safe. The constructor must not open files, load libraries or
 * start threads, because listing plugins has to stay cheap and safe. Exceptions other than the
 * declared ones, or a null, are reported as a fault of the plugin.
 */
public interface SnapshotStoreProvider {
    /**
     * Name, unique among providers: {@code "chronicle"}. Small letters, digits, {@code -} and
     * {@code _}, beginning with a letter; the same at every call.
     */
    String name();

    /**
     * Opens a store, or creates one.
     *
     * <p>A store is one file or folder; deleting that file or folder deletes the store. While it is
     * open for writing, no other process can open it for writing. It must not use more disk space
     * than its values need, and only {@link SnapshotStore#put} may fail because the disk is full.
     * After a process was killed in the middle of a {@code put}, either all values of earlier calls
     * exist, or the store cannot be opened; the value of the last call may be partly written, so
     * callers validate the values that they read.
     *
     * @param path path of the store; its parent folder exists
     * @param size size that it was created with, or is to be created with
     * @param access purpose of opening it
     * @throws IOException if it cannot be opened, is not a store of this kind, or of another size
     */
    SnapshotStore open(Path path, StoreSize size, StoreAccess access) throws IOException;
}

package dev.varve.api.snapshot;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A kind of store; found with {@link java.util.ServiceLoader}.
 *
 * <p>One instance per process, thread-safe. The constructor must not open files, load libraries or
 * start threads: listing plugins has to stay cheap and safe. Exceptions other than the declared
 * ones, or a null, are reported as a fault of the plugin.
 */
public interface SnapshotStoreProvider {
    /**
     * Name, unique among providers: {@code "chronicle"}. Small letters, digits, {@code -} and
     * {@code _}, beginning with a letter; the same at every call.
     */
    String name();

    /**
     * Opens a store, or makes one.
     *
     * <p>A store is one file or folder, and whoever opens it keeps others from opening it for
     * writing; it is deleted by deleting that. It must not take more of the disk than its values
     * need, and must not fail where the disk is full but in {@link SnapshotStore#put}. After a
     * process was killed in the middle of a {@code put}, all values of earlier ones are there, or
     * the store cannot be opened; the value of the last one may be there in part: callers check
     * what they get.
     *
     * @param path where it lies or is to lie; its folder exists
     * @param size what it was made with, or is to be made with
     * @param access what it is opened for
     * @throws IOException if it cannot be opened, is not a store of this kind, or of another size
     */
    SnapshotStore open(Path path, StoreSize size, StoreAccess access) throws IOException;
}

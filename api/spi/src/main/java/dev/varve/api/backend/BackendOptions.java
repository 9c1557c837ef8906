package dev.varve.api.backend;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * Folders in which a backend keeps and finds its libraries, and its options for copies.
 *
 * @param cacheFolder writable folder for unpacked natives, content-addressed and shared between
 *     processes
 * @param ggmlHome folder with a ggml build to use instead of the packed one
 * @param peerAccess whether devices of the backend may copy from each other directly, where they
 *     can
 */
public record BackendOptions(Path cacheFolder, Optional<Path> ggmlHome, boolean peerAccess) {
    /** Refuses null. */
    public BackendOptions {
        Objects.requireNonNull(cacheFolder);
        Objects.requireNonNull(ggmlHome);
    }

    /** Returns options for the packed libraries, with copies through the host. */
    public static BackendOptions packed(Path cacheFolder) {
        return new BackendOptions(cacheFolder, Optional.empty(), false);
    }
}

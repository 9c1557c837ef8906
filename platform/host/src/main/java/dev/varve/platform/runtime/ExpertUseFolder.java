package dev.varve.platform.runtime;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * Folder in which servers record how often streamed experts are used, a file for each shard.
 *
 * @param isKept whether the use is recorded
 * @param chosen the folder, which need not exist; empty for that in the cache folder
 */
public record ExpertUseFolder(boolean isKept, Optional<Path> chosen) {
    /** Name of the usual folder in the cache folder. */
    private static final String NAME = "experts";

    /** Checks that nothing is missing. */
    public ExpertUseFolder {
        Objects.requireNonNull(chosen);
    }

    /** Records in the cache folder. */
    public static ExpertUseFolder inCache() {
        return new ExpertUseFolder(true, Optional.empty());
    }

    /** Records nothing, and reads no earlier record. */
    public static ExpertUseFolder off() {
        return new ExpertUseFolder(false, Optional.empty());
    }

    /** Records in a folder. */
    public static ExpertUseFolder in(Path folder) {
        return new ExpertUseFolder(true, Optional.of(folder));
    }

    /** Returns the folder; empty if nothing is recorded. */
    public Optional<Path> folder(Path cacheFolder) {
        return isKept
                ? Optional.of(chosen.orElseGet(() -> cacheFolder.resolve(NAME)))
                : Optional.empty();
    }
}

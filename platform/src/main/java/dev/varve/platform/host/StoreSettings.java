package dev.varve.platform.host;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where computed prompts are kept on disk.
 *
 * @param folder made if it is not there
 * @param limits how much, and how long
 * @param keyFile key for what is written; without one it is not encrypted
 * @param readOnly whether nothing is written
 * @param sharesBackends whether what other backends or releases of ggml computed may be used
 * @param name of the store among those that plugins provide; empty where there is only one
 */
public record StoreSettings(
        Path folder,
        Limits limits,
        Optional<Path> keyFile,
        boolean readOnly,
        boolean sharesBackends,
        Optional<String> name) {
    /** Checks that nothing is missing. */
    public StoreSettings {
        Objects.requireNonNull(name);
        Objects.requireNonNull(folder);
        Objects.requireNonNull(limits);
        Objects.requireNonNull(keyFile);
    }

    /** A folder with everything else as it is without flags. */
    public static StoreSettings in(Path folder) {
        return new StoreSettings(
                folder,
                new Limits(OptionalLong.empty(), OptionalLong.empty(), Optional.empty()),
                Optional.empty(),
                false,
                false,
                Optional.empty());
    }

    /** The same in another folder. */
    public StoreSettings movedTo(Path other) {
        return new StoreSettings(other, limits, keyFile, readOnly, sharesBackends, name);
    }

    /**
     * How much is kept, and how long.
     *
     * @param budget most bytes; empty: a tenth of the free disk, at most 64 GiB
     * @param reserve bytes of free disk that are left alone; empty: a twentieth of the disk
     * @param ttl time without use after which something is not used any more
     */
    public record Limits(OptionalLong budget, OptionalLong reserve, Optional<Duration> ttl) {
        /** Checks that nothing is missing. */
        public Limits {
            Objects.requireNonNull(budget);
            Objects.requireNonNull(reserve);
            Objects.requireNonNull(ttl);
        }
    }
}

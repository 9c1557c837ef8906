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

    /**
     * The same for one of several models: in a folder of its own, and with its part of the budget.
     *
     * @param models how many share the budget
     */
    public StoreSettings ofOne(Path own, int models) {
        Limits part = new Limits(limits.budget(), limits.reserve(), limits.ttl(), models);
        return new StoreSettings(own, part, keyFile, readOnly, sharesBackends, name);
    }

    /**
     * How much is kept, and how long.
     *
     * @param budget most bytes; empty: a tenth of the free disk, at most 64 GiB
     * @param reserve bytes of free disk that are left alone; empty: a twentieth of the disk
     * @param ttl time without use after which something is not used any more
     * @param models of one server that share the budget, in equal parts
     */
    public record Limits(
            OptionalLong budget, OptionalLong reserve, Optional<Duration> ttl, int models) {
        /** Checks that nothing is missing. */
        public Limits {
            Objects.requireNonNull(budget);
            Objects.requireNonNull(reserve);
            Objects.requireNonNull(ttl);
            if (models < 1) {
                throw new IllegalArgumentException("a budget of " + models + " models");
            }
        }

        /** Those of one model. */
        public Limits(OptionalLong budget, OptionalLong reserve, Optional<Duration> ttl) {
            this(budget, reserve, ttl, 1);
        }

        /** The part of one model in a budget. */
        long part(long all) {
            return Math.max(1, all / models);
        }
    }
}

package dev.varve.platform.host;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Settings of the disk store of cached prefixes.
 *
 * @param folder created if it is missing
 * @param limits how many bytes are kept, and how long
 * @param keyFile encryption key for written data; without one it is not encrypted
 * @param readOnly whether the store is never written
 * @param sharesBackends whether data of other backends or releases of ggml may be used
 * @param name name of the store among those that plugins provide; empty if there is only one
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

    /** Creates settings for a folder with defaults. */
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
     * Returns a copy for one of several models: with its own folder, and its part of the budget.
     *
     * @param models how many share the budget
     */
    public StoreSettings ofOne(Path own, int models) {
        Limits part = new Limits(limits.budget(), limits.reserve(), limits.ttl(), models);
        return new StoreSettings(own, part, keyFile, readOnly, sharesBackends, name);
    }

    /**
     * Limits on bytes and time.
     *
     * @param budget most bytes; empty: a tenth of the free disk, at most 64 GiB
     * @param reserve bytes of free disk that stay free; empty: a twentieth of the disk
     * @param ttl time without use after which an entry is not used any more
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
                throw new IllegalArgumentException("a budget for " + models + " models");
            }
        }

        /** Creates limits for one model. */
        public Limits(OptionalLong budget, OptionalLong reserve, Optional<Duration> ttl) {
            this(budget, reserve, ttl, 1);
        }

        /** Returns one model's part of a budget. */
        long part(long all) {
            return Math.max(1, all / models);
        }
    }
}

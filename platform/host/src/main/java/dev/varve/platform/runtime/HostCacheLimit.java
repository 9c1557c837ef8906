package dev.varve.platform.runtime;

import dev.varve.platform.setting.Setting;

import java.util.OptionalLong;

/** Limit of the host memory for cached prefixes. */
public sealed interface HostCacheLimit {
    /** No host memory: only the devices cache prefixes. */
    HostCacheLimit NONE = new Disabled();

    /** Default: a quarter of the memory that the model leaves free, at most 8 GiB. */
    HostCacheLimit USUAL = new Usual();

    /** Allowed values, for messages. */
    String EXPECTED = "0 for none, or 1M to 1048576G";

    /** Returns the bytes that must be free, or the model is not loaded. */
    long reservedBytes();

    /**
     * Returns the most bytes that the cache may use.
     *
     * @param left host memory that is free beside the model; empty if unknown
     */
    long bytes(OptionalLong left);

    /** No host memory. */
    record Disabled() implements HostCacheLimit {
        @Override
        public long reservedBytes() {
            return 0;
        }

        @Override
        public long bytes(OptionalLong left) {
            return 0;
        }
    }

    /** A part of the free memory; 0 if the free memory is unknown. */
    record Usual() implements HostCacheLimit {
        private static final long MOST = 8L << 30;
        private static final int SHARE = 4;

        @Override
        public long reservedBytes() {
            return 0;
        }

        @Override
        public long bytes(OptionalLong left) {
            return Math.clamp(left.orElse(0) / SHARE, 0, MOST);
        }
    }

    /**
     * A configured size.
     *
     * @param bytes 1 MiB to 1 PiB: a smaller size holds nothing, and is probably a mistake in the
     *     unit
     */
    record Fixed(long bytes) implements HostCacheLimit {
        private static final long LEAST = 1L << 20;
        private static final long MOST = 1L << 50;

        /** Checks the range, within which sums do not overflow. */
        public Fixed {
            if (bytes < LEAST || bytes > MOST) {
                throw new IllegalArgumentException(
                        Setting.CACHE_RAM + ": expected " + EXPECTED + ", found " + bytes);
            }
        }

        @Override
        public long reservedBytes() {
            return bytes;
        }

        @Override
        public long bytes(OptionalLong left) {
            return bytes;
        }
    }
}

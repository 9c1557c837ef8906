package dev.varve.platform.runtime;

import dev.varve.platform.setting.Setting;

import java.util.OptionalLong;

/** How much host memory may hold computed prompts beside the devices. */
public sealed interface HostCacheLimit {
    /** Only the devices keep what was computed. */
    HostCacheLimit NONE = new None();

    /** A quarter of what the model leaves free, at most 8 GiB. */
    HostCacheLimit USUAL = new Usual();

    /** What may be asked for, for people. */
    String EXPECTED = "0 for none, or 1M to 1048576G";

    /** Bytes that must be there, or the model is not loaded. */
    long reservedBytes();

    /**
     * Bytes that it may take.
     *
     * @param left host memory that is free beside the model; empty if nobody knows
     */
    long bytes(OptionalLong left);

    /** No host memory. */
    record None() implements HostCacheLimit {
        @Override
        public long reservedBytes() {
            return 0;
        }

        @Override
        public long bytes(OptionalLong left) {
            return 0;
        }
    }

    /** A part of what is free; nothing where nobody knows how much that is. */
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
     * What somebody asked for.
     *
     * @param bytes 1 MiB to 1 PiB: what is smaller holds nothing, and is likely to be meant in
     *     another unit
     */
    record Fixed(long bytes) implements HostCacheLimit {
        private static final long LEAST = 1L << 20;
        private static final long MOST = 1L << 50;

        /** Checks that it holds something, and that sums with it are right. */
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

package dev.varve.platform.shard.image;

import dev.varve.api.backend.ComputeDevice;

import java.time.Duration;
import java.util.Objects;

/**
 * How an encoder shares its device with shards.
 *
 * @param work multiplications after which the device may be released. Larger products are divided.
 *     The parts of a graph depend on it and on the image alone, so that time changes no row
 * @param turn time after which it is released
 */
public record EncoderPace(long work, Duration turn) {
    /** About 50 ms on two cores with AVX2. */
    private static final long WORK_OF_CORES = 1L << 31;

    /** A few milliseconds on a large card. */
    private static final long WORK_OF_ACCELERATORS = 1L << 36;

    /** Checks that there is work. */
    public EncoderPace {
        Objects.requireNonNull(turn);
        if (work < 1) {
            throw new IllegalArgumentException("work of " + work + " multiplications");
        }
    }

    /**
     * Returns the pace for a device.
     *
     * @param maxGap longest time that streams should wait; the encoder takes half of it at a time
     */
    public static EncoderPace of(ComputeDevice device, Duration maxGap) {
        long work = device.bufferType().isHost() ? WORK_OF_CORES : WORK_OF_ACCELERATORS;
        return new EncoderPace(work, maxGap.dividedBy(2));
    }
}

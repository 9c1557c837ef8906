package dev.varve.platform.host;

import dev.varve.platform.vision.ImageHeader;

import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Bounds the heap memory of images that are decoded at the same time: others wait, in their order.
 * Thread-safe.
 */
final class DecodingBudget {
    /** Pixels of a permit. */
    private static final int UNIT = 1 << 16;

    /** Bytes of a pixel: the reader's raster, its samples, and the resampled ones. */
    private static final int PIXEL_BYTES = 12;

    private final int permits;
    private final Semaphore semaphore;

    /**
     * @param bytes memory for all images; an image that needs more is decoded alone
     */
    DecodingBudget(long bytes) {
        permits = Math.clamp(bytes / PIXEL_BYTES / UNIT, 1, Integer.MAX_VALUE);
        semaphore = new Semaphore(permits, true);
    }

    /** Returns a quarter of the heap. */
    static DecodingBudget ofHeap() {
        return new DecodingBudget(Runtime.getRuntime().maxMemory() / 4);
    }

    /** Runs the decoding of an image when there is room for it. */
    <T> T run(ImageHeader header, Supplier<T> decoding) {
        long pixels = (long) header.width() * header.height();
        int needed = (int) Math.min(permits, Math.ceilDiv(pixels, UNIT));
        semaphore.acquireUninterruptibly(needed);
        try {
            return decoding.get();
        } finally {
            semaphore.release(needed);
        }
    }

    /** Permits that no image has. */
    int free() {
        return semaphore.availablePermits();
    }
}

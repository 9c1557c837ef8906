package dev.varve.platform.paging;

/**
 * Memory from which the size of automatic pools is computed.
 *
 * @param freeBytes free bytes beside weights and states; 0 if unknown
 * @param reserveBytes part of it that is left for other uses
 * @param bytesPerToken K and V rows of one token; 0 if unknown
 * @param sequences concurrent sequences, each with its own pool
 */
public record ResidentPoolMemory(
        long freeBytes, long reserveBytes, long bytesPerToken, int sequences) {
    /** Bytes that stay free for compute buffers and for other users of the device. */
    public static final long RESERVE_BYTES = 3L << 29;

    /** Checks that there is at least one sequence. */
    public ResidentPoolMemory {
        if (sequences < 1) {
            throw new IllegalArgumentException("sequences must be positive, got " + sequences);
        }
    }

    /** Creates a budget with the default reserve. */
    public static ResidentPoolMemory of(long freeBytes, long bytesPerToken, int sequences) {
        return new ResidentPoolMemory(freeBytes, RESERVE_BYTES, bytesPerToken, sequences);
    }

    /** Returns a budget with a larger reserve. */
    public ResidentPoolMemory reserving(long bytes) {
        return new ResidentPoolMemory(freeBytes, reserveBytes + bytes, bytesPerToken, sequences);
    }

    /** Whether the free memory and the size of a token are known. */
    boolean isKnown() {
        return freeBytes > 0 && bytesPerToken > 0;
    }

    /** Tokens per sequence that fit half of the memory above the reserve. */
    long tokens() {
        return Math.max(0, freeBytes - reserveBytes) / 2 / bytesPerToken / sequences;
    }
}

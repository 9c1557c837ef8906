package dev.varve.platform.shard;

/** How the weights of a shard lie in memory. */
public enum WeightLayout {
    /**
     * Matrices rearranged for the device's kernels, in memory of the process, where the device has
     * a buffer type that takes them; the others as in the file.
     */
    REPACKED,

    /**
     * As in the file: mapped where the device computes from memory of the host, so that processes
     * share them; copied elsewhere.
     */
    AS_IN_FILE
}

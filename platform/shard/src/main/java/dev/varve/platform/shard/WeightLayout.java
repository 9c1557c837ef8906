package dev.varve.platform.shard;

/** Layout of the weights of a shard in memory. */
public enum WeightLayout {
    /**
     * Matrices are repacked for the device's kernels, in memory of the process, if the device has a
     * buffer type that accepts them; other tensors are as in the file.
     */
    REPACKED,

    /**
     * As in the file: mapped if the device computes from host memory, so that processes share them;
     * otherwise copied.
     */
    AS_IN_FILE,

    /**
     * As in the file. Matrices of experts stay in the file, and the experts that a step needs are
     * read into a cache of a fixed size; all other tensors are copied.
     */
    STREAMED
}

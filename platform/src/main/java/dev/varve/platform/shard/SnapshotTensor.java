package dev.varve.platform.shard;

import dev.varve.api.ggml.GgmlType;

import java.util.Objects;

/**
 * One tensor of a snapshot, {@code [length, rows]}.
 *
 * @param name what it is, with the layer's number in the model: {@code k.3}, {@code v.3}, {@code
 *     window_k.4}, {@code window_v.4}, {@code conv.5}, {@code state.5}
 * @param type element type
 * @param length elements per row
 * @param rows rows: positions in ascending order, or 1 for a state
 * @param data row after row as in the device's memory; not to be modified
 */
public record SnapshotTensor(String name, GgmlType type, long length, int rows, byte[] data) {
    /** Checks that there are as many bytes as the rows have. */
    public SnapshotTensor {
        Objects.requireNonNull(name);
        Objects.requireNonNull(type);
        if (rows < 0 || data.length != rows * type.rowBytes(length)) {
            throw new IllegalArgumentException(
                    "snapshot tensor "
                            + name
                            + " of "
                            + rows
                            + " rows of "
                            + length
                            + " "
                            + type
                            + " with "
                            + data.length
                            + " bytes");
        }
    }
}

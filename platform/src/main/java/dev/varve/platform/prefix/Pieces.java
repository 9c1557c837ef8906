package dev.varve.platform.prefix;

import java.util.List;

/**
 * Bytes of some layers, in ascending order of the layers' numbers in the model.
 *
 * @param parts one per layer that keeps something there
 */
record Pieces(List<Cells> parts) {
    static final Pieces NONE = new Pieces(List.of());

    Pieces {
        parts = List.copyOf(parts);
    }

    /** Bytes of the memory that they take. */
    long usedBytes() {
        long sum = 0;
        for (Cells part : parts) {
            sum += CellMemory.rounded(part.bytes());
        }
        return sum;
    }

    void release() {
        parts.forEach(Cells::release);
    }
}

package dev.varve.api.gguf;

import dev.varve.api.ggml.GgmlType;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A tensor of a model file, without its data.
 *
 * @param name name in the file
 * @param type element type
 * @param dimensions extents, 1 to 4, the fastest first
 * @param place place of its data
 */
public record GgufTensor(String name, GgmlType type, List<Long> dimensions, Place place) {
    /**
     * Bytes of a file.
     *
     * @param file the file, or the part of a split file, that holds them
     * @param offset first byte, counted from the start of the file
     * @param bytes length
     */
    public record Place(Path file, long offset, long bytes) {
        /** Refuses null. */
        public Place {
            Objects.requireNonNull(file);
        }
    }

    /** Copies the extents. */
    public GgufTensor {
        Objects.requireNonNull(name);
        Objects.requireNonNull(type);
        Objects.requireNonNull(place);
        dimensions = List.copyOf(dimensions);
    }

    /** Returns the same data under another name, for code that uses tensors of several files. */
    public GgufTensor renamed(String other) {
        return new GgufTensor(other, type, dimensions, place);
    }

    /** The file, or the part of a split file, that holds the data. */
    public Path file() {
        return place.file();
    }

    /** First byte of the data, counted from the start of the file. */
    public long offset() {
        return place.offset();
    }

    /** Length of the data. */
    public long bytes() {
        return place.bytes();
    }

    /** Extent of a dimension; 1 beyond the last. */
    public long ne(int dimension) {
        return dimension < dimensions.size() ? dimensions.get(dimension) : 1;
    }

    /**
     * Checks the extents; trailing ones may be left out on both sides.
     *
     * @throws ModelFormatException if they differ
     */
    public void requireShape(long... expected) {
        boolean same = true;
        for (int i = 0; i < Math.max(expected.length, dimensions.size()); i++) {
            same &= ne(i) == (i < expected.length ? expected[i] : 1);
        }
        if (!same) {
            throw new ModelFormatException(
                    file(), "tensor " + name, Arrays.toString(expected), describe());
        }
    }

    /** Type and extents, such as {@code Q4_K [5120, 17408]}. */
    public String describe() {
        return type + " " + dimensions;
    }
}

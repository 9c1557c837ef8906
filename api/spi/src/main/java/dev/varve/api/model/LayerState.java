package dev.varve.api.model;

import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * State that one layer keeps between two forward passes of a sequence. The platform holds, moves
 * and restores the memory of all kinds. The family defines the shape of {@link Custom} and advances
 * it itself.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public sealed interface LayerState {

    /** Key/value rows owned by the layer. */
    sealed interface Attention extends LayerState {
        /** Heads of K and V. */
        int kvHeads();

        /** Elements per K head. */
        int keyLength();

        /** Elements per V head. */
        int valueLength();

        /** Place of the V rows. */
        default ValueRows valueRows() {
            return ValueRows.SEPARATE;
        }
    }

    /** Place of the V rows of a layer. */
    enum ValueRows {
        /** Beside the K rows. */
        SEPARATE,
        /**
         * In the K rows: the first {@link Attention#valueLength} elements of each K head are its V
         * head, so that the cache stores a row once, with the element type of keys. Multi-head
         * latent attention has such rows.
         */
        IN_KEYS
    }

    /**
     * Key/value rows of every position of the sequence.
     *
     * @param valueRows with {@link ValueRows#IN_KEYS} the layer attends with {@link
     *     ShardGraph#latentAttention}, otherwise with {@link ShardGraph#attention}
     */
    record FullAttention(int kvHeads, int keyLength, int valueLength, ValueRows valueRows)
            implements Attention {
        /** Refuses sizes that are not positive, and V heads that exceed the K heads they are in. */
        public FullAttention {
            requirePositive(kvHeads, "kvHeads");
            requirePositive(keyLength, "keyLength");
            requirePositive(valueLength, "valueLength");
            Objects.requireNonNull(valueRows);
            if (valueRows == ValueRows.IN_KEYS && valueLength > keyLength) {
                throw new IllegalArgumentException(
                        "values in keys: expected at most the "
                                + keyLength
                                + " elements of a key, found "
                                + valueLength);
            }
        }

        /** Rows with V beside K. */
        public FullAttention(int kvHeads, int keyLength, int valueLength) {
            this(kvHeads, keyLength, valueLength, ValueRows.SEPARATE);
        }
    }

    /**
     * Key/value rows of the last positions only: a token sees itself and the {@code window - 1}
     * positions before it.
     */
    record SlidingAttention(int window, int kvHeads, int keyLength, int valueLength)
            implements Attention {
        /** Refuses sizes that are not positive. */
        public SlidingAttention {
            requirePositive(window, "window");
            requirePositive(kvHeads, "kvHeads");
            requirePositive(keyLength, "keyLength");
            requirePositive(valueLength, "valueLength");
        }
    }

    /**
     * No rows of its own: the layer attends to those of an earlier layer of the same kind.
     *
     * @param source layer that owns the rows
     */
    record SharedAttention(int source) implements LayerState {
        /** Refuses a negative layer. */
        public SharedAttention {
            if (source < 0) {
                throw new IllegalArgumentException(
                        "source layer must not be negative, got " + source);
            }
        }
    }

    /**
     * Gated delta net: the last {@code convKernel - 1} inputs of a causal convolution and one
     * matrix per value head. It cannot be rewound, only checkpointed.
     *
     * @param convKernel taps of the convolution
     * @param convChannels channels of the convolution
     * @param stateSize rows and columns of one head's matrix
     * @param valueHeads number of matrices
     */
    record Recurrent(int convKernel, int convChannels, int stateSize, int valueHeads)
            implements LayerState {
        /** Refuses sizes that are not positive. */
        public Recurrent {
            requirePositive(convKernel - 1, "convKernel - 1");
            requirePositive(convChannels, "convChannels");
            requirePositive(stateSize, "stateSize");
            requirePositive(valueHeads, "valueHeads");
        }

        /** Elements of one convolution state row, {@code [convKernel - 1, convChannels]}. */
        public long convElements() {
            return (long) (convKernel - 1) * convChannels;
        }

        /** Elements of one matrix state row, {@code [stateSize, stateSize, valueHeads]}. */
        public long matrixElements() {
            return (long) stateSize * stateSize * valueHeads;
        }
    }

    /**
     * A state of the family's own: tensors of fixed shapes, F32, zero at the beginning of a
     * sequence. The family advances them with {@link ShardGraph#advanceState}; the platform keeps,
     * moves and restores them. Like {@link Recurrent} it cannot be rewound, only checkpointed.
     *
     * <p>Stable: a plugin that is built against it keeps working.
     *
     * @param parts names are unique; none for a layer that keeps nothing at all
     */
    record Custom(List<Part> parts) implements LayerState {
        /**
         * One tensor of a state.
         *
         * @param name lower-case letters, digits and underscores
         * @param shape in ggml order, 1 to 3 extents
         */
        public record Part(String name, List<Long> shape) {
            private static final Pattern NAME = Pattern.compile("[a-z0-9_]{1,32}");

            /** Checks the name and the extents. */
            public Part {
                shape = List.copyOf(shape);
                if (!NAME.matcher(name).matches()) {
                    throw new IllegalArgumentException(
                            "state: expected a name such as shift_1, found " + name);
                }
                if (shape.isEmpty()
                        || shape.size() > 3
                        || shape.stream().anyMatch(extent -> extent < 1)) {
                    throw new IllegalArgumentException(
                            "state " + name + ": expected 1 to 3 positive extents, found " + shape);
                }
                shape.stream().reduce(1L, Math::multiplyExact);
            }

            /** Elements of one sequence's tensor. */
            public long elements() {
                return shape.stream().reduce(1L, Math::multiplyExact);
            }
        }

        /** Checks that names are unique. */
        public Custom {
            parts = List.copyOf(parts);
            if (parts.stream().map(Part::name).distinct().count() < parts.size()) {
                throw new IllegalArgumentException("state: a name occurs twice in " + parts);
            }
        }

        /** Returns the state of a layer that keeps nothing between two forward passes. */
        public static Custom nothing() {
            return new Custom(List.of());
        }

        /** Elements of all tensors of one sequence. */
        public long elements() {
            return parts.stream().mapToLong(Part::elements).reduce(0, Math::addExact);
        }
    }

    private static void requirePositive(int value, String name) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, got " + value);
        }
    }
}

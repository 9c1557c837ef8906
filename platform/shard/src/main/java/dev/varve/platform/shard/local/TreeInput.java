package dev.varve.platform.shard.local;

import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.TokenTree;

import java.util.List;

/**
 * Numbers by which recurrent layers take in trees of tokens, as an input of a graph.
 *
 * @param part the first slice that they are of
 * @param slices how many slices, one after the other
 */
record TreeInput(Kind kind, int part, int slices, Tensor tensor) {
    /** What the numbers are. */
    enum Kind {
        /** Which token each one follows: {@code I32 [tokens, slices]}. */
        PARENTS,
        /**
         * Which of what is kept of a convolution, and behind that of the tokens, each token's
         * window has, {@code I32 [kernel * tokens]}.
         */
        WINDOWS,
        /** The tokens of all {@link TreePaths}, one after the other. */
        PATHS,
        /** Where {@link TreePaths} have the result of each token: {@code I32 [tokens]}. */
        ORDER
    }

    /**
     * Declares the input.
     *
     * @param length numbers of a slice
     */
    static TreeInput declare(GgmlContext context, Kind kind, int part, int slices, int length) {
        Tensor tensor =
                context.newTensor(GgmlType.I32, length, slices).named("tree " + kind).markInput();
        return new TreeInput(kind, part, slices, tensor);
    }

    void write(List<SequenceChunk> all) {
        int length = (int) tensor.ne(0);
        for (int i = 0; i < slices; i++) {
            SequenceChunk slice = all.get(part + i);
            int[] numbers = numbers(slice.tree(), slice.tokens().length, length);
            tensor.write(numbers, 0, length, (long) i * length);
        }
    }

    private int[] numbers(TokenTree tree, int tokens, int length) {
        return switch (kind) {
            case PARENTS -> parents(tree, tokens);
            case WINDOWS -> windows(tree, tokens, length / tokens);
            case PATHS -> TreePaths.of(tree).tokens();
            case ORDER -> TreePaths.of(tree).order();
        };
    }

    private static int[] parents(TokenTree tree, int tokens) {
        int[] parents = new int[tokens];
        for (int token = 0; token < tokens; token++) {
            parents[token] = tree.parent(token);
        }
        return parents;
    }

    /**
     * @param taps elements of a convolution's kernel, of which all but one are kept
     */
    private static int[] windows(TokenTree tree, int tokens, int taps) {
        int kept = taps - 1;
        int[] windows = new int[taps * tokens];
        for (int token = 0; token < tokens; token++) {
            int input = token;
            for (int tap = kept; tap >= 0; tap--) {
                windows[taps * token + tap] = kept + input;
                // Before the first token comes what is kept, the last of it first.
                input = input < 0 ? input - 1 : tree.parent(input);
            }
        }
        return windows;
    }
}

package dev.varve.platform.shard.local;

import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.TokenTree;

import java.util.List;

/**
 * Input of a graph with indexes by which recurrent layers process trees of tokens.
 *
 * @param part first chunk
 * @param chunkCount number of consecutive chunks
 */
record TreeInput(Kind kind, int part, int chunkCount, Tensor tensor) {
    /** Meaning of the indexes. */
    enum Kind {
        /** Predecessor of each token: {@code I32 [tokens, chunks]}. */
        PARENTS,
        /**
         * Inputs in the convolution window of each token, as indexes into the kept inputs followed
         * by the tokens: {@code I32 [kernel * tokens]}.
         */
        WINDOWS,
        /** Tokens of all {@link TreePaths}, path after path. */
        PATHS,
        /** Index of each token's result in {@link TreePaths}: {@code I32 [tokens]}. */
        ORDER
    }

    /**
     * Declares the input.
     *
     * @param length number of indexes per chunk
     */
    static TreeInput declare(GgmlContext context, Kind kind, int part, int chunkCount, int length) {
        Tensor tensor =
                context.newTensor(GgmlType.I32, length, chunkCount)
                        .named("tree " + kind)
                        .markInput();
        return new TreeInput(kind, part, chunkCount, tensor);
    }

    /**
     * Writes the indexes of a batch.
     *
     * @param target receives them instead of the input itself
     */
    void write(List<SequenceChunk> all, Tensor target) {
        int length = (int) tensor.ne(0);
        for (int i = 0; i < chunkCount; i++) {
            SequenceChunk chunk = all.get(part + i);
            int[] numbers = numbers(chunk.tree(), chunk.tokens().length, length);
            target.write(numbers, 0, length, (long) i * length);
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
     * @param taps elements of a convolution's kernel; all but one of them are kept inputs
     */
    private static int[] windows(TokenTree tree, int tokens, int taps) {
        int kept = taps - 1;
        int[] windows = new int[taps * tokens];
        for (int token = 0; token < tokens; token++) {
            int input = token;
            for (int tap = kept; tap >= 0; tap--) {
                windows[taps * token + tap] = kept + input;
                // The kept inputs come before the first token, in descending order from here.
                input = input < 0 ? input - 1 : tree.parent(input);
            }
        }
        return windows;
    }
}

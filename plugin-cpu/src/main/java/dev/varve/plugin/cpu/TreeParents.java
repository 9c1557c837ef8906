package dev.varve.plugin.cpu;

import dev.varve.api.backend.TokenTrees;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;

/** Parent of each token of a tree, as kernels read it. */
final class TreeParents {
    private TreeParents() {}

    /** Checks the tensor; its writer checks the values. */
    static void require(Tensor parents, long tokens, long sequences) {
        boolean fits =
                parents.type() == GgmlType.I32
                        && parents.ne(0) == tokens
                        && parents.ne(1) == sequences
                        && parents.nb(0) == Integer.BYTES
                        && tokens <= TokenTrees.MOST_TOKENS;
        if (!fits) {
            throw new IllegalArgumentException(
                    "tree: expected I32 parents of "
                            + sequences
                            + " times "
                            + tokens
                            + " tokens, at most "
                            + TokenTrees.MOST_TOKENS
                            + ", found "
                            + parents);
        }
    }
}

package dev.varve.platform.shard.local;

import dev.varve.api.backend.DeltaRule;
import dev.varve.api.model.LayerState;
import dev.varve.platform.shard.TokenTree;

import java.util.Collection;
import java.util.Optional;

/**
 * How the recurrent layers of a graph get the predecessors of a chunk's tokens. Attention gets them
 * by masks and positions, which are always inputs.
 *
 * @param isInput whether an input contains them, so that one graph serves all trees of a size
 * @param tree the only tree of the graph, if no input contains it
 */
record TreeEncoding(boolean isInput, TokenTree tree) {
    /** Each token follows the one before it. */
    static final TreeEncoding NONE = new TreeEncoding(false, TokenTree.CHAIN);

    private static final TreeEncoding INPUT = new TreeEncoding(true, TokenTree.CHAIN);

    /** How a shard's recurrent layers process trees. */
    enum TreeMode {
        /** The shard has no such layers. */
        NOT_AT_ALL,
        /** With the device's own operators. */
        BY_INPUT,
        /**
         * With ggml's operators, which process tokens one after the other: path by path, each from
         * the state before the chunk. A state per token would need a hundred times the memory of
         * the tokens' inputs.
         */
        PATH_BY_PATH;

        /**
         * Returns the variant for a shard.
         *
         * @param rule the device's own operator
         */
        static TreeMode of(Collection<LayerState.Recurrent> layers, Optional<DeltaRule> rule) {
            if (layers.isEmpty()) {
                return NOT_AT_ALL;
            }
            return rule.isPresent()
                            && layers.stream().allMatch(each -> rule.get().takes(each.stateSize()))
                    ? BY_INPUT
                    : PATH_BY_PATH;
        }
    }

    static TreeEncoding of(TokenTree tree, TreeMode way) {
        if (tree.isChain() || way == TreeMode.NOT_AT_ALL) {
            return NONE;
        }
        return way == TreeMode.BY_INPUT ? INPUT : new TreeEncoding(false, tree);
    }

    /** Whether tokens may follow other tokens than the ones before them. */
    boolean branches() {
        return isInput || !tree.isChain();
    }
}

package dev.varve.platform.shard.local;

import dev.varve.api.backend.DeltaRule;
import dev.varve.api.model.LayerState;
import dev.varve.platform.shard.TokenTree;

import java.util.Collection;
import java.util.Optional;

/**
 * How the recurrent layers of a graph know which token of a slice follows which. Attention knows it
 * by masks and positions, which are inputs in any case.
 *
 * @param isInput whether an input says it, so that one graph serves all trees of a size
 * @param tree the one tree that the graph is for, if none does
 */
record TreeTopology(boolean isInput, TokenTree tree) {
    /** Each token follows the one before it. */
    static final TreeTopology NONE = new TreeTopology(false, TokenTree.CHAIN);

    private static final TreeTopology INPUT = new TreeTopology(true, TokenTree.CHAIN);

    /** How a shard's recurrent layers take in trees. */
    enum StoredPrefix {
        /** There are no such layers. */
        NOT_AT_ALL,
        /** By operators of the device's own. */
        BY_INPUT,
        /**
         * By ggml's, which take in tokens one after the other: path by path, each from the state
         * before the slice. A state per token would be a hundred times what tokens themselves are.
         */
        PATH_BY_PATH;

        /**
         * The way of a shard.
         *
         * @param rule the device's own
         */
        static StoredPrefix of(Collection<LayerState.Recurrent> layers, Optional<DeltaRule> rule) {
            if (layers.isEmpty()) {
                return NOT_AT_ALL;
            }
            return rule.isPresent()
                            && layers.stream().allMatch(each -> rule.get().takes(each.stateSize()))
                    ? BY_INPUT
                    : PATH_BY_PATH;
        }
    }

    static TreeTopology of(TokenTree tree, StoredPrefix way) {
        if (tree.isChain() || way == StoredPrefix.NOT_AT_ALL) {
            return NONE;
        }
        return way == StoredPrefix.BY_INPUT ? INPUT : new TreeTopology(false, tree);
    }

    /** Whether tokens may follow others than the ones before them. */
    boolean branches() {
        return isInput || !tree.isChain();
    }
}

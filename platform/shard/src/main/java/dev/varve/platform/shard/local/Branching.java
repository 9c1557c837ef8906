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
record Branching(boolean isInput, TokenTree tree) {
    /** Each token follows the one before it. */
    static final Branching NONE = new Branching(false, TokenTree.CHAIN);

    private static final Branching INPUT = new Branching(true, TokenTree.CHAIN);

    /** How a shard's recurrent layers take in trees. */
    enum Way {
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
        static Way of(Collection<LayerState.Recurrent> layers, Optional<DeltaRule> rule) {
            if (layers.isEmpty()) {
                return NOT_AT_ALL;
            }
            return rule.isPresent()
                            && layers.stream().allMatch(each -> rule.get().takes(each.stateSize()))
                    ? BY_INPUT
                    : PATH_BY_PATH;
        }
    }

    static Branching of(TokenTree tree, Way way) {
        if (tree.isChain() || way == Way.NOT_AT_ALL) {
            return NONE;
        }
        return way == Way.BY_INPUT ? INPUT : new Branching(false, tree);
    }

    /** Whether tokens may follow others than the ones before them. */
    boolean branches() {
        return isInput || !tree.isChain();
    }
}

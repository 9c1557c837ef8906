package dev.varve.platform.grammar.cfg;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A nonterminal: what it is called, and its alternatives once they are known. */
final class Nonterminal {
    final int id;
    final String name;

    /** The given alternatives; complete unless there is an expansion that did not happen yet. */
    final List<int[]> alternatives = new ArrayList<>();

    Optional<LazyAlternatives> expansion;

    /** It has a text if the symbols of any of these have. */
    final List<int[]> proofs;

    boolean nullable;
    boolean productive;

    /** Where its alternatives begin; null until they are needed. */
    private DottedRule[] firsts;

    Nonterminal(int id, String name, Optional<LazyAlternatives> expansion, int... needs) {
        this.id = id;
        this.name = name;
        this.expansion = expansion;
        proofs = expansion.isPresent() ? List.of(needs) : alternatives;
    }

    /** How rules name it. */
    int symbol() {
        return ~id;
    }

    DottedRule[] firsts(Grammar grammar) {
        if (firsts == null) {
            expansion.ifPresent(lazy -> alternatives.addAll(lazy.alternatives()));
            firsts =
                    alternatives.stream()
                            .filter(grammar::isProductive)
                            .map(symbols -> grammar.dots(this, symbols))
                            .toArray(DottedRule[]::new);
        }
        return firsts;
    }

    @Override
    public String toString() {
        return name;
    }
}

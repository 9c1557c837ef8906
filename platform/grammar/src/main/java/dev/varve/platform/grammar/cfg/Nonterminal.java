package dev.varve.platform.grammar.cfg;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A nonterminal: its name, and its alternatives once they are known. */
final class Nonterminal {
    final int id;
    final String name;

    /** The given alternatives; complete unless an expansion is still pending. */
    final List<int[]> alternatives = new ArrayList<>();

    Optional<LazyAlternatives> expansion;

    /** It matches a text if all symbols of any of these do. */
    final List<int[]> proofs;

    boolean nullable;
    boolean productive;

    /** First positions of its alternatives; null until they are needed. */
    private DottedRule[] firsts;

    Nonterminal(int id, String name, Optional<LazyAlternatives> expansion, int... needs) {
        this.id = id;
        this.name = name;
        this.expansion = expansion;
        proofs = expansion.isPresent() ? List.of(needs) : alternatives;
    }

    /** Number of the nonterminal in rules. */
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

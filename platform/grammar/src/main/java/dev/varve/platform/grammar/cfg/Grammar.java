package dev.varve.platform.grammar.cfg;

import dev.varve.platform.grammar.regex.Lexer;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** A context-free grammar, built by a {@link GrammarBuilder}; for one thread at a time. */
public final class Grammar {
    private static final int DOT = 32;

    private final RegexStore store;
    private final Lexer lexer;

    /** Expanding lazy nonterminals appends more. */
    private final List<Nonterminal> nonterminals;

    private final Nonterminal root;
    private int dots;

    Grammar(RegexStore store, List<Regex> terminals, List<Nonterminal> nonterminals, int start) {
        this.store = store;
        this.nonterminals = nonterminals;
        lexer = new Lexer(store, terminals);
        root = new Nonterminal(-1, "text", Optional.empty());
        root.alternatives.add(new int[] {start});
        spread(
                each -> each.nullable,
                each -> each.alternatives,
                this::isNullable,
                each -> each.nullable = true);
        spread(
                each -> each.productive,
                each -> each.proofs,
                this::isProductive,
                each -> each.productive = true);
        long bytes = lexer.clear();
        store.footprint().clear();
        store.footprint().addPermanent(bytes);
    }

    /** Returns whether any text matches it. */
    public boolean hasText() {
        return isProductive(root.alternatives.getFirst());
    }

    RegexStore store() {
        return store;
    }

    Lexer lexer() {
        return lexer;
    }

    Nonterminal root() {
        return root;
    }

    Nonterminal nonterminal(int symbol) {
        return nonterminals.get(~symbol);
    }

    /** Returns whether a sequence of symbols matches any text. */
    boolean isProductive(int... symbols) {
        for (int symbol : symbols) {
            if (symbol >= 0 ? !lexer.isAlive(symbol) : !isProductive(nonterminal(symbol))) {
                return false;
            }
        }
        return true;
    }

    /** Nonterminals that expansions created are not marked yet. */
    private boolean isProductive(Nonterminal nonterminal) {
        if (!nonterminal.productive && nonterminal.expansion.isPresent()) {
            nonterminal.productive = nonterminal.proofs.stream().anyMatch(this::isProductive);
        }
        return nonterminal.productive;
    }

    private boolean isNullable(int... symbols) {
        for (int symbol : symbols) {
            if (symbol >= 0 || !nonterminal(symbol).nullable) {
                return false;
            }
        }
        return true;
    }

    /** Returns the first position within an alternative; it links to the others. */
    DottedRule dots(Nonterminal owner, int[] symbols) {
        store.footprint().addPermanent((long) DOT * (symbols.length + 1));
        DottedRule dot = new DottedRule(dots++, owner, DottedRule.END, null);
        for (int i = symbols.length - 1; i >= 0; i--) {
            dot = new DottedRule(dots++, owner, symbols[i], dot);
        }
        return dot;
    }

    /** Marks nonterminals with an alternative of a kind, until none is added. */
    private void spread(
            Predicate<Nonterminal> marked,
            Function<Nonterminal, List<int[]>> proofs,
            Predicate<int[]> qualifies,
            Consumer<Nonterminal> mark) {
        boolean changed = true;
        // Nonterminals are mostly created just before or just after their parts: alternating both
        // directions converges soon.
        for (boolean upwards = false; changed; upwards = !upwards) {
            changed = false;
            store.budget().spend(nonterminals.size());
            for (Nonterminal each : upwards ? nonterminals : nonterminals.reversed()) {
                if (!marked.test(each) && proofs.apply(each).stream().anyMatch(qualifies)) {
                    mark.accept(each);
                    changed = true;
                }
            }
        }
    }
}

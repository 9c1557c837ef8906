package dev.varve.platform.grammar.cfg;

import dev.varve.platform.grammar.regex.Footprint;
import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Builds a grammar. A symbol is a number: from 0 on a terminal, below 0 a nonterminal. For one
 * thread at a time.
 */
public final class GrammarBuilder {
    private static final int MOST_SYMBOLS = 1 << 17;

    /** Bytes of a nonterminal, its name and its lists. */
    private static final int NONTERMINAL = 200;

    private final RegexStore store;
    private final List<Regex> terminals = new ArrayList<>();
    private final Map<Regex, Integer> symbols = new HashMap<>();
    private final List<Nonterminal> nonterminals = new ArrayList<>();
    private final Map<Repetition, Integer> repetitions = new HashMap<>();
    private Optional<Integer> nothing = Optional.empty();

    /** A symbol repeated {@code count} times. */
    private record Repetition(int part, int count) {}

    /**
     * @param store creates the expressions that are passed to this builder
     */
    public GrammarBuilder(RegexStore store) {
        this.store = store;
    }

    /** Store of the expressions of this grammar. */
    public RegexStore store() {
        return store;
    }

    /**
     * Returns the symbol of a text that matches an expression; the same one for the same
     * expression.
     */
    public int terminal(Regex regex) {
        Integer known = symbols.get(regex);
        if (known == null) {
            known = regex.isNullable() ? withoutEmpty(regex) : addTerminal(regex);
            symbols.put(regex, known);
        }
        return known;
    }

    /** Returns the symbol of a text in UTF-8. */
    public int literal(String text) {
        return terminal(store.literal(text));
    }

    /** Returns the symbol that no text matches. */
    public int nothing() {
        if (nothing.isEmpty()) {
            nothing = Optional.of(nonterminal("nothing"));
        }
        return nothing.get();
    }

    private int addTerminal(Regex regex) {
        if (regex.isNothing()) {
            return nothing();
        }
        checkLimits();
        terminals.add(regex);
        store.footprint().addPermanent(Footprint.ENTRY + 16);
        return terminals.size() - 1;
    }

    private int withoutEmpty(Regex regex) {
        int symbol = nonterminal("optional");
        rule(symbol);
        if (regex != store.empty()) {
            rule(symbol, addTerminal(store.and(regex, store.not(store.empty()))));
        }
        return symbol;
    }

    /** Creates a nonterminal without alternatives; the name is for messages. */
    public int nonterminal(String name) {
        return add(name, Optional.empty());
    }

    /**
     * Creates a nonterminal whose alternatives are requested when they are needed.
     *
     * @param needs symbols that must all match some text for the nonterminal to match any; if they
     *     do, it must match some
     */
    public int nonterminal(String name, LazyAlternatives expansion, int... needs) {
        return add(name, Optional.of(expansion), needs.clone());
    }

    private int add(String name, Optional<LazyAlternatives> expansion, int... needs) {
        checkLimits();
        store.footprint().addPermanent(NONTERMINAL + Footprint.array(needs.length));
        nonterminals.add(new Nonterminal(nonterminals.size(), name, expansion, needs));
        return ~(nonterminals.size() - 1);
    }

    private void checkLimits() {
        if (terminals.size() + nonterminals.size() >= MOST_SYMBOLS) {
            throw new GrammarLimitException(
                    "the grammar is too complex: it has more than " + MOST_SYMBOLS + " symbols");
        }
    }

    /** Adds an alternative to a nonterminal: these symbols in order, or nothing at all. */
    public void rule(int nonterminal, int... alternative) {
        store.footprint().addPermanent(4 + Footprint.array(alternative.length));
        nonterminals.get(~nonterminal).alternatives.add(alternative.clone());
    }

    /** Creates a nonterminal that is one of several symbols. */
    public int choice(String name, List<Integer> choices) {
        if (choices.size() == 1) {
            return choices.getFirst();
        }
        int symbol = nonterminal(name);
        choices.forEach(choice -> rule(symbol, choice));
        return symbol;
    }

    /** Creates a nonterminal that is several symbols in order. */
    public int sequence(String name, int... parts) {
        if (parts.length == 1) {
            return parts[0];
        }
        int symbol = nonterminal(name);
        rule(symbol, parts);
        return symbol;
    }

    /** Creates a nonterminal: a symbol or nothing. */
    public int optional(int part) {
        int symbol = nonterminal("optional");
        rule(symbol);
        rule(symbol, part);
        return symbol;
    }

    /** Creates a nonterminal: a symbol any number of times. */
    public int star(int part) {
        int symbol = nonterminal("many");
        rule(symbol);
        rule(symbol, symbol, part);
        return symbol;
    }

    /**
     * Creates a nonterminal: a symbol from {@code least} to {@code most} times. Costs about the
     * logarithm of the numbers.
     *
     * @param most {@link Integer#MAX_VALUE} for any number
     */
    public int repeat(int part, int least, int most) {
        if (most == Integer.MAX_VALUE) {
            return least == 0 ? star(part) : sequence("many", exactly(part, least), star(part));
        }
        if (most == least) {
            return exactly(part, least);
        }
        return least == 0
                ? upTo(part, most)
                : sequence("some", exactly(part, least), upTo(part, most - least));
    }

    private int exactly(int part, int count) {
        if (count == 0) {
            return terminal(store.empty());
        }
        if (count == 1) {
            return part;
        }
        Repetition key = new Repetition(part, count);
        Integer known = repetitions.get(key);
        if (known == null) {
            int half = exactly(part, count / 2);
            known =
                    count % 2 == 0
                            ? sequence("twice", half, half)
                            : sequence("twice", half, half, part);
            repetitions.put(key, known);
        }
        return known;
    }

    /** Builds half of the count as optional, followed by up to the rest. */
    private int upTo(int part, int count) {
        if (count == 1) {
            return optional(part);
        }
        int half = count - count / 2;
        return sequence("some", optional(exactly(part, half)), upTo(part, count - half));
    }

    /** Builds the grammar of a symbol's texts; the builder must not be used afterwards. */
    public Grammar build(int start) {
        return new Grammar(store, List.copyOf(terminals), nonterminals, start);
    }
}

package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.cfg.GrammarBuilder;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Writes the rules of arrays that must contain items of some kinds: a symbol for each relevant
 * combination of the number of items and the counts of those kinds.
 */
final class CountedArray {
    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final int MOST_STATES = 3000;

    private final SchemaNormalizer model;
    private final GrammarBuilder builder;
    private final Punctuation punctuation;
    private final ToIntFunction<Formula> symbols;
    private final ArraySpec spec;
    private final List<ArraySpec.Containing> kinds;

    /** Numbers of items from here on are not distinguished, or not reached. */
    private final int top;

    private final Map<State, Integer> known = new HashMap<>();
    private final Deque<State> open = new ArrayDeque<>();

    /**
     * Progress within an array.
     *
     * @param counts items of each kind
     */
    private record State(int items, List<Integer> counts) {}

    /** A permitted item, and the counts after it. */
    private record Choice(Formula item, List<Integer> counts) {}

    CountedArray(
            SchemaNormalizer model,
            GrammarBuilder builder,
            Punctuation punctuation,
            ToIntFunction<Formula> symbols,
            ArraySpec spec) {
        this.model = model;
        this.builder = builder;
        this.punctuation = punctuation;
        this.symbols = symbols;
        this.spec = spec;
        kinds = spec.contains();
        int matter = Math.max(spec.least(), spec.prefix().size());
        for (ArraySpec.Containing kind : kinds) {
            matter = Math.max(matter, kind.from());
        }
        top = spec.most() == UNLIMITED ? matter : spec.most();
    }

    /** Adds the alternatives of a symbol, except the empty array. */
    void write(int symbol) {
        State start = new State(0, kinds.stream().map(_ -> 0).toList());
        follow(start, punctuation.open("["));
        while (!open.isEmpty()) {
            State state = open.pop();
            int prefix = known.get(state);
            if (isComplete(state)) {
                builder.rule(symbol, prefix, punctuation.close("]"));
            }
            if (state.items < spec.most()) {
                follow(state, prefix, punctuation.comma());
            }
        }
    }

    private boolean isComplete(State state) {
        for (int i = 0; i < kinds.size(); i++) {
            if (state.counts.get(i) < kinds.get(i).least()) {
                return false;
            }
        }
        return state.items >= spec.least();
    }

    private void follow(State state, int... before) {
        int place = state.items;
        List<Choice> choices = List.of(new Choice(spec.item(place), List.of()));
        for (int i = 0; i < kinds.size(); i++) {
            choices = divide(choices, kinds.get(i), place, state.counts.get(i));
        }
        int items = Math.min(top, place + 1);
        for (Choice choice : choices) {
            if (!model.emptiness().isEmpty(choice.item)) {
                int after = at(new State(items, choice.counts));
                int[] rule = java.util.Arrays.copyOf(before, before.length + 1);
                rule[before.length] = symbols.applyAsInt(choice.item);
                builder.rule(after, rule);
            }
        }
    }

    /** If any number of a kind is permitted, items need not be proven to be of another kind. */
    private List<Choice> divide(
            List<Choice> choices, ArraySpec.Containing kind, int place, int count) {
        FormulaStore formulas = model.formulas();
        boolean limited = kind.most() < UNLIMITED;
        List<Choice> divided = new ArrayList<>();
        for (Choice choice : choices) {
            if (place < kind.from()) {
                divided.add(with(choice, formulas.everything(), count));
                continue;
            }
            int most = limited ? kind.most() : kind.least();
            if (count < most) {
                divided.add(with(choice, kind.item(), Math.min(most, count + 1)));
            }
            divided.add(
                    with(
                            choice,
                            limited ? formulas.not(kind.item()) : formulas.everything(),
                            count));
        }
        return divided;
    }

    private Choice with(Choice choice, Formula kind, int count) {
        List<Integer> counts = new ArrayList<>(choice.counts);
        counts.add(count);
        return new Choice(model.formulas().all(choice.item, kind), counts);
    }

    private int at(State state) {
        Integer symbol = known.get(state);
        if (symbol == null) {
            if (known.size() >= MOST_STATES) {
                throw new InexactException(
                        "has too many combinations of numbers of items to count",
                        "contains",
                        "minContains",
                        "maxContains");
            }
            symbol = builder.nonterminal("items");
            known.put(state, symbol);
            open.push(state);
        }
        return symbol;
    }
}

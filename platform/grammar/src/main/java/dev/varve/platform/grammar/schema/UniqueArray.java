package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.cfg.GrammarBuilder;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the rules of arrays with few distinct items: a symbol for each set of items, with
 * alternatives that are created when a text reaches it.
 */
final class UniqueArray {
    private static final int MOST_VALUES = 200;

    private final GrammarBuilder builder;
    private final ArraySpec spec;
    private final int open;
    private final int comma;
    private final int close;
    private final int[] values;
    private final Map<BitSet, Integer> symbols = new HashMap<>();

    UniqueArray(
            SchemaNormalizer model,
            GrammarBuilder builder,
            Punctuation punctuation,
            ArraySpec spec) {
        this.builder = builder;
        this.spec = spec;
        if (!spec.contains().isEmpty() || !spec.prefix().isEmpty()) {
            throw new InexactException(
                    "requires unique items and limits single items in another way", "uniqueItems");
        }
        List<String> texts =
                new FiniteValues(model)
                        .texts(spec.rest(), MOST_VALUES)
                        .orElseThrow(
                                () ->
                                        new InexactException(
                                                "requires unique items, which is supported only"
                                                        + " for items of at most "
                                                        + MOST_VALUES
                                                        + " listed values",
                                                "uniqueItems"));
        values = texts.stream().mapToInt(builder::literal).toArray();
        open = punctuation.open("[");
        comma = punctuation.comma();
        close = punctuation.close("]");
    }

    /** Adds the alternatives of a symbol, except the empty array. */
    void write(int symbol) {
        if (values.length >= Math.max(1, spec.least())) {
            for (int i = 0; i < values.length; i++) {
                builder.rule(symbol, open, values[i], behind(with(new BitSet(), i)));
            }
        }
    }

    private static BitSet with(BitSet set, int member) {
        BitSet more = (BitSet) set.clone();
        more.set(member);
        return more;
    }

    private int behind(BitSet seen) {
        Integer known = symbols.get(seen);
        if (known == null) {
            known = builder.nonterminal("items", () -> alternatives(seen));
            symbols.put(seen, known);
        }
        return known;
    }

    private List<int[]> alternatives(BitSet seen) {
        int count = seen.cardinality();
        List<int[]> all = new ArrayList<>();
        if (count >= spec.least()) {
            all.add(new int[] {close});
        }
        if (count < spec.most()) {
            for (int i = 0; i < values.length; i++) {
                if (!seen.get(i)) {
                    all.add(new int[] {comma, values[i], behind(with(seen, i))});
                }
            }
        }
        return all;
    }
}

package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.cfg.GrammarBuilder;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the rules of objects whose properties come in any order. A symbol stands for the
 * continuations after a set of properties; its alternatives are created when a text reaches it.
 */
final class UnorderedObject {
    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final GrammarBuilder builder;
    private final ObjectSymbols plan;
    private final int close;
    private final Map<Seen, Integer> symbols = new HashMap<>();

    UnorderedObject(GrammarBuilder builder, Punctuation punctuation, ObjectSymbols plan) {
        this.builder = builder;
        this.plan = plan;
        close = punctuation.close("}");
    }

    /**
     * Properties that an object already has.
     *
     * @param declared numbers of its declared properties; not to be modified
     * @param further number of others, as far as that matters
     * @param met demands, as bits
     */
    private record Seen(BitSet declared, int further, int met) {
        int count() {
            return declared.cardinality() + further;
        }
    }

    /** Adds an alternative to a symbol. */
    void write(int symbol) {
        builder.rule(symbol, behind(new Seen(new BitSet(), 0, 0)));
    }

    private int behind(Seen seen) {
        Integer known = symbols.get(seen);
        if (known == null) {
            known = builder.nonterminal("properties", () -> alternatives(seen), needs(seen));
            symbols.put(seen, known);
        }
        return known;
    }

    /** Symbols that must match some text for the object to continue. */
    private int[] needs(Seen seen) {
        List<Integer> needs = new ArrayList<>();
        for (int i = 0; i < plan.properties().size(); i++) {
            ObjectSymbols.Property property = plan.properties().get(i);
            if (property.required() && !seen.declared.get(i)) {
                needs.add(property.value());
            }
        }
        return needs.stream().mapToInt(Integer::intValue).toArray();
    }

    private List<int[]> alternatives(Seen seen) {
        boolean first = seen.count() == 0;
        List<int[]> all = new ArrayList<>();
        if (mayEnd(seen)) {
            all.add(new int[] {first ? plan.empty() : close});
        }
        for (int i = 0; i < plan.properties().size(); i++) {
            Seen next = with(seen, i);
            if (!seen.declared.get(i) && hasRoom(next)) {
                ObjectSymbols.Property property = plan.properties().get(i);
                all.add(
                        new int[] {
                            first ? property.first() : property.next(),
                            property.value(),
                            behind(next)
                        });
            }
        }
        for (ObjectSymbols.Further further : plan.further()) {
            int count = plan.most() == UNLIMITED ? 1 : seen.further + 1;
            Seen next = new Seen(seen.declared, count, seen.met | further.witnesses());
            if (hasRoom(next)) {
                all.add(new int[] {first ? further.first() : further.next(), behind(next)});
            }
        }
        return all;
    }

    private static Seen with(Seen seen, int property) {
        BitSet declared = (BitSet) seen.declared.clone();
        declared.set(property);
        return new Seen(declared, seen.further, seen.met);
    }

    private int missing(Seen seen) {
        int missing = 0;
        for (int i = 0; i < plan.properties().size(); i++) {
            missing += plan.properties().get(i).required() && !seen.declared.get(i) ? 1 : 0;
        }
        return missing;
    }

    /** Two undeclared properties may have the same name: only one of them is certain to count. */
    private boolean mayEnd(Seen seen) {
        return missing(seen) == 0
                && seen.declared.cardinality() + Math.min(1, seen.further) >= plan.least()
                && seen.met == (1 << plan.witnesses()) - 1;
    }

    private boolean hasRoom(Seen seen) {
        return (long) seen.count() + missing(seen) <= plan.most();
    }
}

package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.cfg.GrammarBuilder;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Writes the rules of objects whose properties come in a given order, followed by the undeclared
 * ones.
 *
 * <p>A symbol stands for all texts up to some property, distinguished only by the number of
 * properties: the continuation does not depend on which ones they were, so that positions of a text
 * have few states.
 */
final class OrderedObject {
    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final int MOST_STATES = 20_000;
    private static final String[] COUNTING = {"minProperties", "maxProperties"};

    private final GrammarBuilder builder;
    private final ObjectSymbols plan;
    private final int symbol;
    private final int close;

    /**
     * @param symbol symbol that receives the rules
     */
    OrderedObject(GrammarBuilder builder, Punctuation punctuation, ObjectSymbols plan, int symbol) {
        this.builder = builder;
        this.plan = plan;
        this.symbol = symbol;
        close = punctuation.close("}");
    }

    /** Writes the rules. */
    void write() {
        SortedMap<Integer, Integer> counted = declared();
        if (plan.witnesses() > 0) {
            writeWitnesses(counted);
            return;
        }
        if (plan.required() == 0) {
            if (plan.least() == 0) {
                builder.rule(symbol, plan.empty());
            }
            writeFurtherAlone();
        }
        counted.forEach(this::writeEnd);
    }

    /** Symbols of the declared properties, at least one, by their number. */
    private SortedMap<Integer, Integer> declared() {
        int declared = plan.properties().size();
        boolean limited = plan.most() < (plan.isOpen() ? UNLIMITED : declared);
        int exact = plan.least() > plan.required() ? plan.least() : 1;
        // Numbers from here on are not distinguished, or not reached.
        int top = limited ? plan.most() : exact;
        if ((long) Math.min(top, declared) * declared > MOST_STATES) {
            throw new InexactException(
                    "has too many properties to count up to " + top + " of them", COUNTING);
        }
        SortedMap<Integer, Integer> before = new TreeMap<>();
        boolean mayBeFirst = true;
        for (ObjectSymbols.Property property : plan.properties()) {
            before = with(property, before, mayBeFirst, top, limited);
            mayBeFirst &= !property.required();
        }
        return before;
    }

    private SortedMap<Integer, Integer> with(
            ObjectSymbols.Property property,
            SortedMap<Integer, Integer> before,
            boolean mayBeFirst,
            int top,
            boolean limited) {
        SortedMap<Integer, Integer> after = new TreeMap<>();
        if (!property.required()) {
            before.forEach((count, prefix) -> builder.rule(at(after, count), prefix));
        }
        before.forEach(
                (count, prefix) -> {
                    if (count < top || !limited) {
                        int next = at(after, Math.min(count + 1, top));
                        builder.rule(next, prefix, property.next(), property.value());
                    }
                });
        if (mayBeFirst && top > 0) {
            builder.rule(at(after, 1), property.first(), property.value());
        }
        return after;
    }

    private int at(Map<Integer, Integer> symbols, int count) {
        return symbols.computeIfAbsent(count, _ -> builder.nonterminal("properties"));
    }

    private void writeEnd(int count, int prefix) {
        boolean enough = plan.least() <= plan.required() || count >= plan.least();
        int room = plan.most() == UNLIMITED ? UNLIMITED : plan.most() - count;
        if (!plan.isOpen() || room == 0) {
            if (enough) {
                builder.rule(symbol, prefix, close);
            }
            return;
        }
        builder.rule(symbol, prefix, builder.repeat(next(), enough ? 0 : 1, room), close);
    }

    private void writeFurtherAlone() {
        if (plan.isOpen() && plan.most() > 0) {
            int first =
                    builder.choice(
                            "further",
                            plan.further().stream().map(ObjectSymbols.Further::first).toList());
            int room = plan.most() == UNLIMITED ? UNLIMITED : plan.most() - 1;
            if (room == 0) {
                builder.rule(symbol, first, close);
            } else {
                builder.rule(symbol, first, builder.repeat(next(), 0, room), close);
            }
        }
    }

    private int next() {
        List<Integer> choices = plan.further().stream().map(ObjectSymbols.Further::next).toList();
        return builder.choice("further", choices);
    }

    /**
     * Position of an object among its undeclared properties.
     *
     * @param count number of all its properties; 0 if any number is permitted
     * @param met demands, as bits
     */
    private record Met(int count, int met) {}

    private void writeWitnesses(SortedMap<Integer, Integer> counted) {
        Map<Met, Integer> symbols = new HashMap<>();
        Deque<Met> open = new ArrayDeque<>();
        if (plan.required() == 0) {
            for (ObjectSymbols.Further further : plan.further()) {
                meet(symbols, open, new Met(0, 0), further, further.first());
            }
        }
        counted.forEach(
                (count, prefix) -> {
                    for (ObjectSymbols.Further further : plan.further()) {
                        meet(symbols, open, new Met(count, 0), further, prefix, further.next());
                    }
                });
        while (!open.isEmpty()) {
            Met met = open.pop();
            int prefix = symbols.get(met);
            if (met.met == (1 << plan.witnesses()) - 1) {
                builder.rule(symbol, prefix, close);
            }
            for (ObjectSymbols.Further further : plan.further()) {
                meet(symbols, open, met, further, prefix, further.next());
            }
        }
    }

    private void meet(
            Map<Met, Integer> symbols,
            Deque<Met> open,
            Met before,
            ObjectSymbols.Further further,
            int... parts) {
        boolean limited = plan.most() < UNLIMITED;
        if (limited && before.count >= plan.most()) {
            return;
        }
        Met after = new Met(limited ? before.count + 1 : 0, before.met | further.witnesses());
        Integer known = symbols.get(after);
        if (known == null) {
            if (symbols.size() >= MOST_STATES) {
                throw new InexactException("has too many properties to count", COUNTING);
            }
            known = builder.nonterminal("properties");
            symbols.put(after, known);
            open.push(after);
        }
        builder.rule(known, parts);
    }
}

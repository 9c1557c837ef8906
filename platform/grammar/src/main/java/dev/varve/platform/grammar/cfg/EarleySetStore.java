package dev.varve.platform.grammar.cfg;

import dev.varve.platform.grammar.regex.Footprint;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Creates the sets of a grammar and keeps one object of each. Symbols that may be empty are skipped
 * when they are predicted (Aycock and Horspool 2002). For one thread at a time.
 */
final class EarleySetStore {
    private static final Comparator<EarleyItems.Item> ORDER =
            Comparator.<EarleyItems.Item>comparingInt(item -> item.dot().id)
                    .thenComparingInt(item -> item.origin().id);

    private static final int KEY = 32;

    /** Bytes of a set without its items. */
    private static final int SET = 320;

    /** Bytes of a list of items that wait for a symbol. */
    private static final int SYMBOL = Footprint.ENTRY + 120;

    /** Bytes of an item, which a list and often a set refer to. */
    private static final int ITEM = 24 + 8 + Footprint.ENTRY + 16;

    private final Grammar grammar;
    private final Map<Key, EarleySet> sets = new HashMap<>();
    private int ids;

    private record Key(EarleyItems.Item... items) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key(EarleyItems.Item[] others) && Arrays.equals(items, others);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(items);
        }
    }

    EarleySetStore(Grammar grammar) {
        this.grammar = grammar;
    }

    /** Discards the cached sets; sets in use stay valid. */
    void clear() {
        sets.values().forEach(set -> set.next.clear());
        sets.clear();
    }

    EarleySet start() {
        Closure closure = new Closure();
        closure.predict(grammar.root());
        return closure.finish();
    }

    /** Returns the set after terminals of one set that end together. */
    EarleySet behind(EarleySet set, int[] terminals) {
        EarleySet.Terminals key = new EarleySet.Terminals(terminals);
        EarleySet known = set.next.get(key);
        if (known == null) {
            EarleyItems items = new EarleyItems();
            scan(set, terminals, items);
            known = complete(items);
            set.next.put(key, known);
            footprint().add(KEY + Footprint.ENTRY + Footprint.array(terminals.length));
        }
        return known;
    }

    /** Advances the items of a set over a terminal. */
    void scan(EarleySet set, int[] terminals, EarleyItems into) {
        for (int terminal : terminals) {
            EarleyItems scans = set.scans.get(terminal);
            grammar.store().budget().spend(scans.size());
            for (EarleyItems.Item item : scans.all()) {
                into.add(new EarleyItems.Item(item.dot().next, originOf(item, set)));
            }
        }
    }

    /** Returns the closure of some items. */
    EarleySet complete(EarleyItems items) {
        for (int i = 0; i < items.size(); i++) {
            EarleyItems.Item item = items.get(i);
            if (item.dot().isEnd()) {
                advance(item, items);
            }
        }
        EarleyItems.Item[] sorted =
                items.all().stream().filter(this::matters).toArray(EarleyItems.Item[]::new);
        grammar.store().budget().spend(sorted.length);
        Arrays.sort(sorted, ORDER);
        Key key = new Key(sorted);
        EarleySet known = sets.get(key);
        if (known == null) {
            Closure closure = new Closure();
            for (EarleyItems.Item item : sorted) {
                closure.add(item);
            }
            known = closure.finish();
            sets.put(key, known);
            footprint().add(KEY + Footprint.ENTRY + Footprint.array(sorted.length));
        }
        return known;
    }

    /**
     * Returns whether an item must be kept: complete items were already applied, but the end of a
     * text must be visible in the set.
     */
    private boolean matters(EarleyItems.Item item) {
        return !item.dot().isEnd() || item.dot().owner == grammar.root();
    }

    /** Advances the items that waited, at its origin, for a complete item's nonterminal. */
    private void advance(EarleyItems.Item complete, EarleyItems into) {
        EarleyItems waiting = complete.origin().waiting.get(complete.dot().owner.symbol());
        if (waiting != null) {
            grammar.store().budget().spend(waiting.size());
            for (EarleyItems.Item item : waiting.all()) {
                into.add(new EarleyItems.Item(item.dot().next, originOf(item, complete.origin())));
            }
        }
    }

    private Footprint footprint() {
        return grammar.store().footprint();
    }

    private static EarleySet originOf(EarleyItems.Item item, EarleySet set) {
        return item.origin() == null ? set : item.origin();
    }

    /** A set while its closure is computed. */
    private final class Closure {
        private final EarleyItems items = new EarleyItems();
        private final Map<Integer, EarleyItems> waiting = new HashMap<>();
        private final Map<Integer, EarleyItems> scans = new HashMap<>();
        private final Set<Nonterminal> predicted = new HashSet<>();
        private boolean accepts;

        void add(EarleyItems.Item item) {
            items.add(item);
        }

        void predict(Nonterminal nonterminal) {
            if (predicted.add(nonterminal)) {
                for (DottedRule first : nonterminal.firsts(grammar)) {
                    items.add(new EarleyItems.Item(first, null));
                }
            }
        }

        EarleySet finish() {
            for (int i = 0; i < items.size(); i++) {
                grammar.store().budget().spend(1);
                follow(items.get(i));
            }
            int[] terminals =
                    scans.keySet().stream().mapToInt(Integer::intValue).sorted().toArray();
            footprint()
                    .add(
                            SET
                                    + (long) SYMBOL * (waiting.size() + scans.size())
                                    + (long) ITEM * items.size());
            return new EarleySet(ids++, waiting, scans, accepts, grammar.lexer().start(terminals));
        }

        private void follow(EarleyItems.Item item) {
            DottedRule dot = item.dot();
            if (dot.isEnd()) {
                end(item);
            } else if (dot.isTerminal()) {
                scans.computeIfAbsent(dot.symbol, _ -> new EarleyItems()).add(item);
            } else {
                Nonterminal nonterminal = grammar.nonterminal(dot.symbol);
                waiting.computeIfAbsent(dot.symbol, _ -> new EarleyItems()).add(item);
                predict(nonterminal);
                if (nonterminal.nullable) {
                    items.add(new EarleyItems.Item(dot.next, item.origin()));
                }
            }
        }

        private void end(EarleyItems.Item item) {
            if (item.dot().owner == grammar.root()) {
                accepts = true;
            } else if (item.origin() != null) {
                advance(item, items);
            }
        }
    }
}

package dev.varve.platform.grammar.regex;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Derivatives of expressions by bytes (Brzozowski 1964; Owens, Reppy, Turon 2009): the rest of the
 * texts of an expression that begin with a byte. Caches many.
 */
final class Derivatives {
    private static final int MOST_MEMOS = 1 << 16;
    private static final int MEMO = Footprint.ENTRY + 16;

    private final Map<Long, Regex> known = new HashMap<>();
    private final RegexStore store;

    /**
     * Creates the derivatives of a store's expressions; the store creates the results, and its
     * footprint counts them.
     */
    Derivatives(RegexStore store) {
        this.store = store;
    }

    /** Discards the cache; the caller recounts the footprint. */
    void clear() {
        known.clear();
    }

    Regex of(Regex regex, int value) {
        store.budget().spend(1);
        return switch (regex.kind) {
            case NOTHING, EMPTY -> store.nothing();
            case BYTES -> regex.bytes.contains(value) ? store.empty() : store.nothing();
            case MACHINE ->
                    regex.machine.alphabet().contains(value)
                            ? regex.machine.next(value).map(store::machine).orElse(store.nothing())
                            : store.nothing();
            default -> memoized(regex, value);
        };
    }

    private Regex memoized(Regex regex, int value) {
        long key = (long) regex.id << 8 | value;
        Regex derivative = known.get(key);
        if (derivative == null) {
            derivative = compute(regex, value);
            if (known.size() >= MOST_MEMOS) {
                known.clear();
                store.footprint().add(-(long) MEMO * MOST_MEMOS);
            }
            known.put(key, derivative);
            store.footprint().add(MEMO);
        }
        return derivative;
    }

    private Regex compute(Regex regex, int value) {
        return switch (regex.kind) {
            case CONCAT -> {
                Regex first = store.pair(of(regex.parts[0], value), regex.parts[1]);
                yield regex.parts[0].nullable ? store.or(first, of(regex.parts[1], value)) : first;
            }
            case OR -> store.or(Arrays.asList(deriveAll(regex.parts, value)));
            case AND -> store.and(deriveAll(regex.parts, value));
            case NOT -> store.not(of(regex.parts[0], value));
            case LOOP -> of(regex.parts[0], value);
            case REPEAT ->
                    store.pair(
                            of(regex.parts[0], value),
                            store.repeat(
                                    regex.parts[0],
                                    Math.max(0, regex.least - 1),
                                    regex.most == Regex.UNLIMITED
                                            ? Regex.UNLIMITED
                                            : regex.most - 1));
            default -> throw new IllegalStateException("kind " + regex.kind);
        };
    }

    private Regex[] deriveAll(Regex[] parts, int value) {
        Regex[] all = new Regex[parts.length];
        for (int i = 0; i < parts.length; i++) {
            all[i] = of(parts[i], value);
        }
        return all;
    }
}

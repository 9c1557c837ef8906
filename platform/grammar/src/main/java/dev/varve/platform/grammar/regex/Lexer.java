package dev.varve.platform.grammar.regex;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads several terminals at once: a deterministic automaton whose states are created when they are
 * reached and kept until {@link #clear}. For one thread at a time.
 */
public final class Lexer {
    private static final int STATE = 64;

    private final RegexStore store;
    private final Regex[] terminals;
    private final ByteClasses classes;
    private final EmptinessCheck emptiness;
    private final PlainTransitionCheck form;
    private final Map<Key, LexState> states = new HashMap<>();
    private final LexState dead;
    private int ids;

    private record Key(int[] terminals, Regex[] rests) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key key
                    && Arrays.equals(terminals, key.terminals)
                    && Arrays.equals(rests, key.rests);
        }

        @Override
        public int hashCode() {
            int hash = Arrays.hashCode(terminals);
            for (Regex rest : rests) {
                hash = 31 * hash + rest.id;
            }
            return hash;
        }
    }

    /**
     * @param terminals the expressions, numbered by their index
     */
    public Lexer(RegexStore store, List<Regex> terminals) {
        this.store = store;
        this.terminals = terminals.toArray(Regex[]::new);
        classes = ByteClasses.of(terminals);
        emptiness = new EmptinessCheck(store, classes);
        form = new PlainTransitionCheck(store, classes);
        dead = new LexState(0, new int[0], new Regex[0], classes.count(), false);
    }

    /** Classes of equivalent bytes. */
    public ByteClasses classes() {
        return classes;
    }

    /** Returns whether a terminal matches any text. */
    public boolean isAlive(int terminal) {
        return emptiness.isAlive(terminals[terminal]);
    }

    /** Returns whether a terminal matches the empty text. */
    public boolean isNullable(int terminal) {
        return terminals[terminal].isNullable();
    }

    /** Number of cached states. */
    public int size() {
        return states.size();
    }

    /** The state before some terminals, given by ascending numbers. */
    public LexState start(int... numbers) {
        int[] live = Arrays.stream(numbers).filter(this::isAlive).toArray();
        return keep(live, Arrays.stream(live).mapToObj(i -> terminals[i]).toArray(Regex[]::new));
    }

    /** The state after a byte of a class. */
    public LexState next(LexState state, int byteClass) {
        LexState known = state.next[byteClass];
        if (known == null) {
            known = step(state, classes.representative(byteClass));
            state.next[byteClass] = known;
        }
        return known;
    }

    private LexState step(LexState state, int value) {
        int[] left = new int[state.terminals.length];
        Regex[] rests = new Regex[state.terminals.length];
        int count = 0;
        for (int i = 0; i < left.length; i++) {
            Regex rest = store.derive(state.rests[i], value);
            if (emptiness.isAlive(rest)) {
                left[count] = state.terminals[i];
                rests[count++] = rest;
            }
        }
        return keep(Arrays.copyOf(left, count), Arrays.copyOf(rests, count));
    }

    private LexState keep(int[] numbers, Regex[] rests) {
        if (numbers.length == 0) {
            return dead;
        }
        return states.computeIfAbsent(
                new Key(numbers, rests),
                _ -> {
                    store.footprint().add(stateBytes(numbers.length));
                    return new LexState(++ids, numbers, rests, classes.count(), canContinue(rests));
                });
    }

    /** Bytes of a state, its key, and their four arrays. */
    private long stateBytes(int terminals) {
        return STATE
                + Footprint.ENTRY
                + 3 * Footprint.array(terminals)
                + Footprint.array(classes.count());
    }

    /**
     * A rest that must have more bytes continues, since it is alive; a rest that may end need not.
     */
    private boolean canContinue(Regex... rests) {
        for (Regex rest : rests) {
            if (!rest.nullable || canContinue(rest)) {
                return true;
            }
        }
        return false;
    }

    private boolean canContinue(Regex rest) {
        if (rest.kind == Regex.Kind.EMPTY) {
            return false;
        }
        for (int i = 0; i < classes.count(); i++) {
            if (emptiness.isAlive(store.derive(rest, classes.representative(i)))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether the form of a state proves that all plain characters lead to one state; false
     * proves nothing.
     */
    public boolean isUniformForPlainText(LexState state) {
        for (Regex rest : state.rests) {
            if (!form.isUniform(rest)) {
                return false;
            }
        }
        return state.rests.length > 0;
    }

    /**
     * Discards the cached states, and the caches of the store except the terminals; states in use
     * stay valid.
     *
     * @return approximate bytes of the terminals
     */
    public long clear() {
        states.values().forEach(state -> Arrays.fill(state.next, null));
        states.clear();
        form.clear();
        return store.retain(Arrays.asList(terminals));
    }
}

package dev.varve.platform.grammar.cfg;

import dev.varve.platform.grammar.regex.ByteClasses;
import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.platform.grammar.regex.LexState;
import dev.varve.platform.grammar.regex.Lexer;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads texts of a grammar byte by byte. Where a terminal may end and may go on, both are followed.
 * For one thread at a time.
 */
public final class Recognizer {
    private static final int MOST_STATES = 1 << 14;
    private static final int MOST_THREADS = 1 << 10;

    private final Grammar grammar;
    private final Lexer lexer;
    private final EarleySets sets;
    private final ByteClasses classes;
    private final Map<Key, ParseState> states = new HashMap<>();
    private final ParseState dead;

    private record Key(EarleySet[] starts, LexState[] lexemes, boolean accepts) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key key
                    && accepts == key.accepts
                    && Arrays.equals(starts, key.starts)
                    && Arrays.equals(lexemes, key.lexemes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(starts) * 31 + Arrays.hashCode(lexemes);
        }
    }

    /** A terminal that is being read, in an order that does not depend on how it was come to. */
    private record Thread(EarleySet start, LexState lexeme) {}

    /** For a grammar that nobody else uses. */
    public Recognizer(Grammar grammar) {
        this.grammar = grammar;
        lexer = grammar.lexer();
        classes = lexer.classes();
        sets = new EarleySets(grammar);
        dead = new ParseState(new EarleySet[0], new LexState[0], false, classes.count());
    }

    /** The bytes that make a difference. */
    public ByteClasses classes() {
        return classes;
    }

    /** Where every text begins; dead if the grammar has none. */
    public ParseState start() {
        Threads threads = new Threads();
        threads.enter(sets.start());
        return threads.state();
    }

    /** The state behind a byte, 0 to 255. */
    public ParseState next(ParseState state, int value) {
        int byteClass = classes.of(value);
        ParseState known = state.next[byteClass];
        if (known == null) {
            known = step(state, byteClass);
            state.next[byteClass] = known;
        }
        return known;
    }

    /** The state behind some bytes. */
    public ParseState next(ParseState state, byte... values) {
        ParseState at = state;
        for (int i = 0; i < values.length && !at.isDead(); i++) {
            at = next(at, values[i] & 0xff);
        }
        return at;
    }

    /** The byte that must follow; -1 if several may, or the text may end. */
    public int forced(ParseState state) {
        if (state.accepts()) {
            return -1;
        }
        int forced = -1;
        for (int byteClass = 0; byteClass < classes.count(); byteClass++) {
            int only = classes.only(byteClass);
            int value = only < 0 ? classes.representative(byteClass) : only;
            if (!next(state, value).isDead()) {
                if (forced >= 0 || only < 0) {
                    return -1;
                }
                forced = only;
            }
        }
        return forced;
    }

    private ParseState step(ParseState state, int byteClass) {
        grammar.store().fuel().spend(state.starts.length);
        Threads threads = new Threads();
        for (int i = 0; i < state.starts.length; i++) {
            LexState lexeme = lexer.next(state.lexemes[i], byteClass);
            if (lexeme.goesOn()) {
                threads.add(state.starts[i], lexeme);
            }
            if (lexeme.complete().length > 0) {
                threads.complete(state.starts[i], lexeme.complete());
            }
        }
        return threads.state();
    }

    /**
     * Forgets what was computed, if that is much. States in use stay right.
     *
     * @return whether it did
     */
    public boolean relieve() {
        boolean crowded =
                states.size() > MOST_STATES
                        || sets.size() > MOST_STATES
                        || lexer.size() > MOST_STATES
                        || grammar.store().isCrowded();
        if (crowded) {
            states.values().forEach(state -> Arrays.fill(state.next, null));
            states.clear();
            sets.forget();
            lexer.forget();
            grammar.store().forget();
        }
        return crowded;
    }

    /** A state while it is put together. */
    private final class Threads {
        private final Map<Integer, Map<LexState, Thread>> threads = new TreeMap<>();
        private int count;
        private EarleySet completeIn;
        private int[] complete;
        private Items scanned;
        private boolean accepts;

        void add(EarleySet start, LexState lexeme) {
            if (threads.computeIfAbsent(start.id, _ -> new HashMap<>())
                            .put(lexeme, new Thread(start, lexeme))
                    == null) {
                count++;
            }
        }

        /** Most often only one terminal ends, or several of one set: their successor is kept. */
        void complete(EarleySet start, int[] terminals) {
            if (completeIn == null) {
                completeIn = start;
                complete = terminals;
                return;
            }
            if (scanned == null) {
                scanned = new Items();
                sets.scan(completeIn, complete, scanned);
            }
            sets.scan(start, terminals, scanned);
        }

        void enter(EarleySet set) {
            accepts = set.accepts;
            if (!set.lexemes.isDead()) {
                add(set, set.lexemes);
            }
        }

        ParseState state() {
            if (completeIn != null) {
                enter(scanned == null ? sets.behind(completeIn, complete) : sets.complete(scanned));
            }
            if (count > MOST_THREADS) {
                throw new GrammarLimitException(
                        "the grammar is too ambiguous: a text may be read in more than "
                                + MOST_THREADS
                                + " ways at once");
            }
            if (count == 0 && !accepts) {
                return dead;
            }
            EarleySet[] starts = new EarleySet[count];
            LexState[] lexemes = new LexState[count];
            int at = 0;
            for (Map<LexState, Thread> ofStart : threads.values()) {
                for (Thread thread : inOrder(ofStart)) {
                    starts[at] = thread.start;
                    lexemes[at++] = thread.lexeme;
                }
            }
            return states.computeIfAbsent(
                    new Key(starts, lexemes, accepts),
                    _ -> new ParseState(starts, lexemes, accepts, classes.count()));
        }

        private Iterable<Thread> inOrder(Map<LexState, Thread> ofStart) {
            return ofStart.size() == 1
                    ? ofStart.values()
                    : ofStart.values().stream()
                            .sorted(Comparator.comparingInt(thread -> thread.lexeme.id()))
                            .toList();
        }
    }
}

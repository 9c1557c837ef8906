package dev.varve.platform.grammar;

import dev.varve.platform.grammar.cfg.Grammar;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.mask.SortedVocabulary;
import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.platform.grammar.regex.RegexStore;
import dev.varve.platform.grammar.regex.WorkBudget;
import dev.varve.platform.tokenizer.Tokenizer;

import java.lang.ref.SoftReference;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Compiles grammars over the tokens of one model, and caches the latest ones as long as memory
 * suffices. A hostile source takes up to a second and tens of MiB: do not call it on the engine's
 * thread, nor on many threads at a time. Thread-safe.
 */
public final class GrammarCompiler {
    private static final int MAX_CACHED = 64;

    /**
     * Limit for grammars that may not be used again: two of the largest size, or hundreds of the
     * usual size.
     */
    private static final long MOST_BYTES = 128L << 20;

    /** Several times the need of the largest hand-written schemas; some tenths of a second. */
    private static final long MOST_UNITS = 6_000_000;

    private static final WorkBudget.CpuLimit CPU =
            new WorkBudget.CpuLimit(MOST_UNITS / 3, Duration.ofSeconds(1));

    private final Tokenizer tokenizer;

    /** In the order of use, the latest last. */
    private final SequencedMap<String, SoftReference<TokenGrammar>> cache = new LinkedHashMap<>();

    /** Created at the first use: most servers never need it. */
    private SortedVocabulary table;

    /** Creates a compiler for the tokens of a model. */
    public GrammarCompiler(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
    }

    /**
     * Compiles a source.
     *
     * @throws GrammarException if the source is wrong, cannot be enforced, matches no text or needs
     *     too much time or memory
     */
    public TokenGrammar compile(GrammarSource source) {
        TokenGrammar known = find(source.key());
        if (known != null) {
            return known;
        }
        return cached(source.key(), make(source));
    }

    /** Discards all cached grammars. */
    public synchronized void clearCache() {
        cache.clear();
    }

    private synchronized TokenGrammar find(String key) {
        SoftReference<TokenGrammar> reference = cache.get(key);
        TokenGrammar grammar = reference == null ? null : reference.get();
        return grammar == null ? null : cached(key, grammar);
    }

    /**
     * Caches a grammar and evicts old ones: the cached state of grammars grows while they are used.
     */
    private synchronized TokenGrammar cached(String key, TokenGrammar grammar) {
        cache.remove(key);
        cache.values().removeIf(reference -> reference.get() == null);
        long bytes = grammar.bytes() + cache.values().stream().mapToLong(this::bytes).sum();
        while (!cache.isEmpty() && (bytes > MOST_BYTES || cache.size() >= MAX_CACHED)) {
            bytes -= bytes(cache.pollFirstEntry().getValue());
        }
        cache.put(key, new SoftReference<>(grammar));
        return grammar;
    }

    private long bytes(SoftReference<TokenGrammar> reference) {
        TokenGrammar grammar = reference.get();
        return grammar == null ? 0 : grammar.bytes();
    }

    private synchronized SortedVocabulary table() {
        if (table == null) {
            table = SortedVocabulary.of(tokenizer);
        }
        return table;
    }

    private TokenGrammar make(GrammarSource source) {
        WorkBudget budget = new WorkBudget();
        return new TokenGrammar(grammar(source, budget), budget, table(), tokenizer);
    }

    /**
     * Checks whether a source can be enforced.
     *
     * @throws GrammarException as {@link #compile} does
     */
    public static void check(GrammarSource source) {
        grammar(source, new WorkBudget());
    }

    private static Grammar grammar(GrammarSource source, WorkBudget budget) {
        budget.allow("compiling it", MOST_UNITS, CPU);
        try {
            GrammarBuilder builder = new GrammarBuilder(new RegexStore(budget));
            Grammar grammar = builder.build(source.build(builder));
            if (!grammar.hasText()) {
                throw new GrammarException.Unsatisfiable();
            }
            return grammar;
        } catch (GrammarLimitException e) {
            throw new GrammarException("", e.getMessage());
        } catch (StackOverflowError e) {
            throw new GrammarException("", "the grammar is nested too deep");
        }
    }
}

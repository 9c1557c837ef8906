package dev.varve.platform.grammar.trial;

import dev.varve.platform.grammar.GrammarCompiler;
import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.GrammarState;
import dev.varve.platform.grammar.TokenGrammar;
import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.platform.grammar.regex.RegexStore;
import dev.varve.platform.grammar.regex.WorkBudget;
import dev.varve.platform.grammar.schema.CanonicalJsonWriter;
import dev.varve.platform.grammar.schema.SchemaOptions;
import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.tokenizer.Tokenizer;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the texts of values token by token in the grammars of schemas, with a mask for every token.
 */
public final class SchemaTrial {
    private static final long MOST_UNITS = 20_000_000;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_MICRO = 1e3;

    private final GrammarCompiler compiler;
    private final Tokenizer tokenizer;

    /** Outcome for a schema. */
    public enum Status {
        /** Compiled, and the values were read. */
        OK,
        /** The schema cannot be enforced, or is wrong. */
        REFUSED,
        /** An unexpected failure. */
        ERROR
    }

    /**
     * Results of a trial.
     *
     * @param reason why it was not compiled
     * @param compileMillis time until compilation succeeded or was rejected
     * @param firstMaskMillis time of the very first token's mask
     * @param maskMicros times of all masks
     * @param results whether each value can be generated, as far as they were tried
     */
    public record Result(
            Status status,
            Optional<String> reason,
            double compileMillis,
            double firstMaskMillis,
            List<Double> maskMicros,
            List<Boolean> results) {}

    /** Creates trials for the tokens of a model. */
    public SchemaTrial(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
        compiler = new GrammarCompiler(tokenizer);
    }

    /** Tries a schema with values. Never throws because of their content. */
    public Result run(JsonNode schema, List<JsonNode> values) {
        Times times = new Times();
        try {
            long begin = System.nanoTime();
            TokenGrammar grammar = compile(schema, times, begin);
            times.compileMillis = (System.nanoTime() - begin) / NANOS_PER_MILLI;
            CanonicalJsonWriter texts = texts(schema);
            for (JsonNode value : values) {
                times.results.add(reads(grammar, texts.of(value), times));
            }
            return times.result(Status.OK, Optional.empty());
        } catch (GrammarException.Unsatisfiable e) {
            values.forEach(_ -> times.results.add(false));
            return times.result(Status.OK, Optional.of(e.getMessage()));
        } catch (GrammarException e) {
            return times.result(Status.REFUSED, Optional.of(e.path() + ": " + e.getMessage()));
        } catch (GrammarLimitException e) {
            return times.result(Status.ERROR, Optional.of(e.getMessage()));
        } catch (RuntimeException e) {
            return times.result(Status.ERROR, Optional.of(e.toString()));
        } finally {
            // No schema repeats, and the eviction of hundreds would disturb the measurements.
            compiler.clearCache();
        }
    }

    private TokenGrammar compile(JsonNode schema, Times times, long begin) {
        try {
            return compiler.compile(new TextGrammarSource.Schema(schema));
        } finally {
            times.compileMillis = (System.nanoTime() - begin) / NANOS_PER_MILLI;
        }
    }

    private static CanonicalJsonWriter texts(JsonNode schema) {
        WorkBudget budget = new WorkBudget();
        budget.allow(MOST_UNITS);
        return new CanonicalJsonWriter(schema, new RegexStore(budget), SchemaOptions.DEFAULT);
    }

    private boolean reads(TokenGrammar grammar, String text, Times times) {
        GrammarState state = grammar.start();
        for (int token : tokenizer.encodeContinuation(text, false)) {
            long begin = System.nanoTime();
            boolean allowed = state.mask().allows(token);
            times.add(System.nanoTime() - begin);
            Optional<GrammarState> next = state.accept(token);
            if (allowed != next.isPresent()) {
                throw new IllegalStateException(
                        "token " + token + ": the mask and the grammar disagree");
            }
            if (!allowed) {
                return false;
            }
            state = next.get();
        }
        return state.mayEnd();
    }

    /** Measurements in progress. */
    private static final class Times {
        private final List<Double> masks = new ArrayList<>();
        private final List<Boolean> results = new ArrayList<>();
        private double compileMillis;

        void add(long nanos) {
            masks.add(nanos / NANOS_PER_MICRO);
        }

        Result result(Status status, Optional<String> reason) {
            return new Result(
                    status,
                    reason,
                    compileMillis,
                    masks.isEmpty() ? 0 : masks.getFirst() * NANOS_PER_MICRO / NANOS_PER_MILLI,
                    List.copyOf(masks),
                    List.copyOf(results));
        }
    }
}

package dev.varve.platform.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Whatever comes in as a schema is compiled or refused, soon and as promised; and what is compiled
 * always lets a text go on or end, with a text that another validator finds valid.
 */
class SchemaPropertiesTest {
    private static final int SOAK = Integer.getInteger("varve.test.soak", 1);

    /** A part of them in the usual run: a schema takes some milliseconds. */
    private static final int SCHEMAS = SOAK > 1 ? 1_000 * SOAK * SOAK : 200;

    private static final int MOST_TOKENS = 50;

    /** Seconds: some two are promised on an idle machine. */
    private static final double PATIENCE = 60;

    private static final double NANOS = 1e9;

    /** The other validator warns of each unknown keyword; held, or the level would be lost. */
    private static final Logger LOG = Logger.getLogger("com.networknt.schema");

    static {
        LOG.setLevel(Level.OFF);
    }

    private final Tokenizer tokenizer =
            TestTokenizers.ofBytesAndWords(
                    List.of("{\"", "\":", "\",\"", "\"}", "name", "id", "true", "null", "12", "]}"),
                    "<end>");
    private final int end = 256;
    private final GrammarCompiler compiler = new GrammarCompiler(tokenizer);
    private final SchemaRegistry validators =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    private final Schema schemas =
            validators.getSchema(
                    SchemaLocation.of(SpecificationVersion.DRAFT_2020_12.getDialectId()));
    private final List<String> wrong = new ArrayList<>();
    private int refused;
    private int limited;
    private int finished;
    private int compared;

    @Test
    void everySchemaIsCompiledOrRefused() {
        double longest = 0;
        for (int seed = 0; seed < SCHEMAS; seed++) {
            Random random = new Random(seed);
            JsonNode schema = new HostileSchemas(random).schema();
            long begin = System.nanoTime();
            try {
                tryOut(schema, random);
            } catch (RuntimeException | StackOverflowError e) {
                fail("seed " + seed + ": " + schema, e);
            }
            double seconds = (System.nanoTime() - begin) / NANOS;
            longest = Math.max(longest, seconds);
            assertTrue(seconds < PATIENCE, seconds + " s for seed " + seed + ": " + schema);
        }
        System.out.println(
                SCHEMAS
                        + " schemas, "
                        + refused
                        + " refused, "
                        + limited
                        + " walks too complex, "
                        + finished
                        + " texts at their end, "
                        + compared
                        + " compared, "
                        + longest
                        + " s at most");
        assertEquals(List.of(), wrong);
        assertTrue(refused < SCHEMAS * 3 / 4, refused + " refused");
        assertTrue(compared > SCHEMAS / 20, compared + " compared");
    }

    private void tryOut(JsonNode schema, Random random) {
        TokenGrammar grammar;
        try {
            grammar = compiler.compile(new TextGrammarSource.Schema(schema));
        } catch (GrammarException e) {
            refused++;
            return;
        }
        try {
            Optional<String> text = walk(grammar.start(), random, schema);
            if (text.isPresent()) {
                finished++;
                compare(schema, text.get());
            }
        } catch (GrammarLimitException e) {
            limited++;
        }
    }

    /**
     * Any tokens that may follow, those that close something first; the text if it came to an end.
     */
    private Optional<String> walk(GrammarState start, Random random, JsonNode schema) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        GrammarState state = start;
        for (int i = 0; i < MOST_TOKENS; i++) {
            if (state.mustEnd() || state.mayEnd() && random.nextInt(3) == 0) {
                return Optional.of(text.toString(StandardCharsets.UTF_8));
            }
            int token = pick(state.mask(), random);
            assertTrue(token >= 0, "nothing may follow " + text + " of " + schema);
            text.writeBytes(tokenizer.piece(token));
            state = state.accept(token).orElseThrow();
        }
        return Optional.empty();
    }

    private int pick(TokenMask mask, Random random) {
        int chosen = -1;
        int seen = 0;
        for (int token = 0; token < tokenizer.vocabularySize(); token++) {
            if (token != end && mask.allows(token)) {
                int weight = token == '"' || token == '}' || token == ']' ? 40 : 1;
                seen += weight;
                if (random.nextInt(seen) < weight) {
                    chosen = token;
                }
            }
        }
        return chosen;
    }

    /** Compares only schemas that the other validator accepts and reads with the same meaning. */
    private void compare(JsonNode schema, String text) {
        List<?> found;
        try {
            // The other validator knows when there were leap seconds.
            if (text.contains(":60") || !isOrdinary(schema)) {
                return;
            }
            found =
                    validators
                            .getSchema(schema.toString(), InputFormat.JSON)
                            .validate(
                                    text,
                                    InputFormat.JSON,
                                    context ->
                                            context.executionConfig(
                                                    config ->
                                                            config.formatAssertionsEnabled(true)));
        } catch (RuntimeException | StackOverflowError e) {
            // It does not promise to survive them.
            return;
        }
        compared++;
        if (!found.isEmpty()) {
            wrong.add(schema + " and " + text + ": " + found);
        }
    }

    /** Other dialects and addresses have rules of their own, and what is malformed has none. */
    private boolean isOrdinary(JsonNode schema) {
        String text = schema.toString();
        return Stream.of("$schema", "$id", "$dynamicRef", "$anchor").noneMatch(text::contains)
                && schemas.validate(text, InputFormat.JSON).isEmpty();
    }
}

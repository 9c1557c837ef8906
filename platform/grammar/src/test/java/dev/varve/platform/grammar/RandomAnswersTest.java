package dev.varve.platform.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Whatever a model without any sense says within a schema is valid, says another validator; and
 * from wherever it wandered to, an end is reached.
 */
class RandomAnswersTest {
    private static final int SOAK = Integer.getInteger("varve.test.soak", 1);
    private static final int SCHEMAS = SOAK > 1 ? 300 * SOAK : 50;
    private static final int ANSWERS = 4;
    private static final int MOST_TOKENS = 120;
    private static final int MOST_STATES = 100_000;

    private final Tokenizer tokenizer =
            TestTokenizers.ofBytesAndWords(
                    List.of(
                            "{\"", "\":", "\",\"", "\"}", "name", "id", "tr", "ue", "null", "12",
                            "0.5", " ", "  ", "\n", "[{", "}]", "é", "word", "x-1", "2024-", "ab"),
                    "<end>");
    private final int end = 256;

    @Test
    void everyOutputIsValid() {
        int refused = 0;
        int answers = 0;
        for (int number = 0; number < SCHEMAS; number++) {
            Random random = new Random(number);
            ObjectNode schema = new RandomSchemas(random).schema();
            TokenGrammar grammar;
            try {
                grammar =
                        new GrammarCompiler(tokenizer)
                                .compile(new TextGrammarSource.Schema(schema));
            } catch (GrammarException e) {
                refused++;
                continue;
            }
            Schema validator = validator(schema);
            for (int i = 0; i < ANSWERS; i++) {
                String answer = answer(grammar, random, schema);
                if (answer.contains(":60")) {
                    // The other validator knows when there were leap seconds.
                    continue;
                }
                answers++;
                assertEquals(
                        List.of(),
                        validator.validate(
                                answer,
                                InputFormat.JSON,
                                context ->
                                        context.executionConfig(
                                                config -> config.formatAssertionsEnabled(true))),
                        () -> schema + " and " + answer);
            }
        }
        System.out.println(answers + " random answers, " + refused + " schemas refused");
        assertTrue(refused < SCHEMAS / 3, refused + " of " + SCHEMAS + " refused");
    }

    private static Schema validator(ObjectNode schema) {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(schema.toString(), InputFormat.JSON);
    }

    private String answer(TokenGrammar grammar, Random random, ObjectNode schema) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        GrammarState state = grammar.start();
        for (int i = 0; i < MOST_TOKENS; i++) {
            if (state.mustEnd() || state.mayEnd() && random.nextInt(4) == 0) {
                return text.toString(StandardCharsets.UTF_8);
            }
            int token = pick(state, random, schema + " behind " + text);
            text.writeBytes(tokenizer.piece(token));
            state = state.accept(token).orElseThrow();
        }
        text.writeBytes(anyEnd(state, schema));
        return text.toString(StandardCharsets.UTF_8);
    }

    /** Any token, all with the same chance. */
    private int pick(GrammarState state, Random random, String where) {
        int chosen = -1;
        int seen = 0;
        var mask = state.mask();
        for (int token = 0; token < tokenizer.vocabularySize(); token++) {
            boolean allowed = mask.allows(token);
            assertEquals(state.allows(token), allowed);
            if (allowed && token != end && random.nextInt(++seen) == 0) {
                chosen = token;
            }
        }
        assertTrue(chosen >= 0, "no token may follow: " + where);
        return chosen;
    }

    /** Searches an end depth first, along bytes that close something where there is one. */
    private static byte[] anyEnd(GrammarState from, ObjectNode schema) {
        Map<GrammarState, Step> steps = new HashMap<>();
        Deque<GrammarState> open = new ArrayDeque<>(List.of(from));
        steps.put(from, new Step(from, -1));
        while (!open.isEmpty() && steps.size() < MOST_STATES) {
            GrammarState state = open.pop();
            if (state.mayEnd()) {
                return path(steps, state);
            }
            following(state).entrySet().stream()
                    .sorted(Comparator.comparingInt(entry -> -rank(entry.getKey())))
                    .filter(
                            entry ->
                                    steps.putIfAbsent(
                                                    entry.getValue(),
                                                    new Step(state, entry.getKey()))
                                            == null)
                    .forEach(entry -> open.push(entry.getValue()));
        }
        return fail("no end within " + steps.size() + " states of " + schema);
    }

    /** The order in which the search tries bytes. The byte to try first has the lowest rank. */
    private static int rank(int value) {
        return switch (value) {
            case '}', ']' -> 0;
            case '"' -> 1;
            case '{', '[', ',', ' ', '\n' -> 4;
            default -> value < 0x80 ? 2 : 3;
        };
    }

    private record Step(GrammarState from, int value) {}

    private static Map<Integer, GrammarState> following(GrammarState state) {
        Map<Integer, GrammarState> following = new TreeMap<>();
        for (int value = 0; value < 256; value++) {
            int number = value;
            state.read((byte) value).ifPresent(there -> following.put(number, there));
        }
        return following;
    }

    private static int cost(int value) {
        return switch (value) {
            case '"', '}', ']' -> 1;
            case '{', '[', ',', ' ', '\n' -> 30;
            default -> value < 0x80 ? 4 : 10;
        };
    }

    private record Visit(GrammarState state, int cost) {}

    private static byte[] path(Map<GrammarState, Step> steps, GrammarState end) {
        Deque<Integer> values = new ArrayDeque<>();
        GrammarState at = end;
        for (Step step = steps.get(at); step.value >= 0; step = steps.get(at)) {
            values.push(step.value);
            at = step.from;
        }
        byte[] bytes = new byte[values.size()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = values.pop().byteValue();
        }
        return bytes;
    }
}

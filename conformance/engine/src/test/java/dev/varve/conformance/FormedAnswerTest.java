package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.chat.ResponseFormat;
import dev.varve.platform.chat.ResponseOptions;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.ScriptedSpeculator;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.grammar.GrammarCompiler;
import dev.varve.platform.grammar.GrammarSource;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.schema.SchemaCompiler;
import dev.varve.platform.grammar.schema.SchemaOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * A model with random weights answers with valid JSON when a request demands it. The answer has the
 * same tokens with a draft model and without one.
 */
@Timeout(600)
class FormedAnswerTest {
    private static final int COUNT = 200;
    private static final int MOST = 7;
    private static final int RIGHT = 3;
    private static final JsonNode SCHEMA =
            JsonMapper.shared()
                    .readTree(
                            """
                            {"type": "object", "additionalProperties": false,
                             "required": ["identifier", "alternatives", "kind"],
                             "properties": {
                               "identifier": {"type": "integer", "minimum": 100, "maximum": 999},
                               "kind": {"enum": ["alternative", "identity"]},
                               "alternatives": {"type": "array", "minItems": 1, "maxItems": 2,
                                 "items": {"type": "string", "maxLength": 12}}}}\
                            """);

    @TempDir static Path folder;

    /** Without white space, of which a random model would write much. */
    private static final class Compact implements GrammarSource {
        @Override
        public String key() {
            return "compact";
        }

        @Override
        public int build(GrammarBuilder builder) {
            SchemaOptions options = SchemaOptions.DEFAULT.with(SchemaOptions.Whitespace.COMPACT);
            return new SchemaCompiler(builder, options).compile(SCHEMA);
        }
    }

    /** A form for each request, as constraints are. */
    private static List<Answer> answers(
            SpeculativeModel sample, Tokenizer tokenizer, ResponseFormat form) {
        SamplingOptions sampling = SamplingOptions.greedy().atTemperature(0.9f).seededWith(7);
        ResponseSyntax dialect = ResponseSyntax.plain(tokenizer);
        List<Answer> answers = new ArrayList<>();
        for (int[] prompt : sample.prompts()) {
            answers.add(
                    Answer.of(prompt, COUNT, sampling)
                            .endingAt(tokenizer.endTokens())
                            .guidedBy(
                                    dialect.open(
                                                    prompt,
                                                    ResponseOptions.stoppingAt(List.of()).of(form))
                                            .constraint()));
        }
        return answers;
    }

    @ParameterizedTest
    @MethodSource("dev.varve.conformance.SpeculativeModel#all")
    @ByDay(2)
    void structuredOutputMatchesTheRequestedFormat(Family family, TensorType type, GgmlType cache)
            throws Exception {
        SpeculativeModel sample = SpeculativeModel.of(family, type, cache, folder);
        Tokenizer tokenizer = Tokenizer.of(GgufFile.open(sample.file()).metadata());
        ResponseFormat form =
                new ResponseFormat.Whole(new GrammarCompiler(tokenizer).compile(new Compact()));
        List<int[]> plain = new ArrayList<>();
        try (LoadedModel model = sample.plain()) {
            List<Answer> asked = answers(sample, tokenizer, form);
            Answer.submit(model.engine(), asked);
            for (Answer answer : asked) {
                plain.add(answer.tokens());
                assertEquals(GenerationEnd.Reason.END_TOKEN, answer.end().reason());
                requireValid(tokenizer.decode(answer.tokens()));
            }
        }
        SpeculationOptions guesses =
                new SpeculationOptions(
                        new ScriptedSpeculator(
                                sample.texts(plain),
                                MOST,
                                depth -> depth < RIGHT ? 0 : 1,
                                sample.vocabulary(),
                                List.of()),
                        MOST,
                        OptionalInt.of(MOST));
        try (LoadedModel model = sample.guessed(guesses)) {
            List<Answer> asked = answers(sample, tokenizer, form);
            Answer.submit(model.engine(), asked);
            for (int i = 0; i < plain.size(); i++) {
                assertArrayEquals(plain.get(i), asked.get(i).tokens(), "prompt " + i);
            }
        }
    }

    private static void requireValid(String text) {
        JsonNode answer = JsonMapper.shared().readTree(text);
        assertEquals(
                List.of("identifier", "kind", "alternatives"),
                List.copyOf(answer.propertyNames()),
                text);
        int identifier = answer.get("identifier").intValue();
        assertTrue(identifier >= 100 && identifier <= 999, text);
        assertTrue(
                List.of("alternative", "identity").contains(answer.get("kind").stringValue()),
                text);
        assertTrue(answer.get("alternatives").size() <= 2, text);
        for (JsonNode each : answer.get("alternatives")) {
            String value = each.stringValue();
            assertTrue(value.codePointCount(0, value.length()) <= 12, text);
        }
    }
}

package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.GrammarSource;
import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/** Answers that must have a form have it, whatever a model would like to write. */
class ResponseFormatTest {
    private static final Tokenizer BYTES = GuidedAnswer.BYTES;
    private static final int SEEDS = Effort.of(16, 40);

    private static final ToolDeclaration BOOK =
            strict(
                    "book",
                    """
                    {"type":"object","additionalProperties":false,
                     "required":["city","nights","extras"],
                     "properties":{
                       "city":{"type":"string","minLength":1,"maxLength":20},
                       "nights":{"type":"integer","minimum":1,"maximum":30},
                       "board":{"enum":["none","half","full"]},
                       "floor":{"anyOf":[{"type":"integer"},{"type":"boolean"},
                         {"type":"string","maxLength":6}]},
                       "note":{"anyOf":[{"type":"string","maxLength":5},{"type":"null"}]},
                       "extras":{"type":"array","maxItems":2,"items":{"$ref":"#/$defs/extra"}}},
                     "$defs":{"extra":{"type":"object","required":["a"],
                       "additionalProperties":false,
                       "properties":{"a":{"type":"boolean"},"b":{"type":"string","maxLength":3}}
                     }}}\
                    """);

    private static final OptionalInt BUDGET = OptionalInt.of(20);

    private static final ToolDeclaration PING = strict("ping", "{}");

    private static ToolDeclaration strict(String name, String schema) {
        return new ToolDeclaration(name, Dialects.JSON.readTree(schema), true);
    }

    private static ToolDeclaration loose(String name, String schema) {
        return new ToolDeclaration(name, Dialects.JSON.readTree(schema), false);
    }

    private static ResponseState session(
            Dialects dialect,
            String prompt,
            List<ToolDeclaration> tools,
            ToolCallRequirement forced,
            Optional<GrammarSource> content) {
        ResponseSyntax own = dialect.with(BYTES);
        ResponseFormat form = own.form(tools, forced, content, GuidedAnswer.COMPILER);
        return open(own, prompt, new ResponseOptions(tools, List.of(), BUDGET, forced, form));
    }

    private static ResponseState open(ResponseSyntax own, String prompt, ResponseOptions options) {
        return own.open(BYTES.encode(prompt, true), options);
    }

    private static ResponseState content(Dialects dialect, String prompt, GrammarSource source) {
        return session(
                dialect, prompt, List.of(), new ToolCallRequirement.None(), Optional.of(source));
    }

    private static GrammarSource schema(String json) {
        return new TextGrammarSource.Schema(Dialects.JSON.readTree(json));
    }

    private static void assertBooking(JsonNode arguments, String text) {
        assertTrue(arguments.isObject(), text);
        Set<String> known = Set.of("city", "nights", "board", "floor", "note", "extras");
        assertTrue(known.containsAll(arguments.propertyNames()), text);
        String city = arguments.get("city").stringValue();
        int length = city.codePointCount(0, city.length());
        assertTrue(length >= 1 && length <= 20, text);
        assertTrue(arguments.get("nights").isIntegralNumber(), text);
        assertTrue(Math.abs(arguments.get("nights").intValue() - 15.5) < 15, text);
        if (arguments.has("board")) {
            assertTrue(
                    Set.of("none", "half", "full").contains(arguments.get("board").stringValue()),
                    text);
        }
        JsonNode floor = arguments.path("floor");
        assertTrue(
                floor.isMissingNode()
                        || floor.isIntegralNumber()
                        || floor.isBoolean()
                        || floor.isString() && floor.stringValue().length() <= 12,
                text);
        JsonNode note = arguments.path("note");
        assertTrue(note.isMissingNode() || note.isNull() || note.isString(), text);
        assertTrue(arguments.get("extras").isArray() && arguments.get("extras").size() <= 2, text);
        for (JsonNode extra : arguments.get("extras")) {
            assertTrue(extra.get("a").isBoolean(), text);
            assertTrue(extra.path("b").isMissingNode() || extra.get("b").isString(), text);
        }
    }

    /** The prompt has other tools, whose names a model may write. */
    @ParameterizedTest
    @EnumSource
    void restrictedCallsNameDeclaredTools(Dialects dialect) {
        List<ToolDeclaration> tools = List.of(loose("book", "{}"), loose("ping", "{}"));
        int[] call = BYTES.encode("Let me see. " + dialect.syntax.open(), true);
        for (int seed = 0; seed < SEEDS; seed++) {
            GuidedAnswer run =
                    GuidedAnswer.of(
                            () ->
                                    session(
                                            dialect,
                                            "x",
                                            tools,
                                            new ToolCallRequirement.Restricted(),
                                            Optional.empty()),
                            seed,
                            call);

            assertFalse(run.answer().calls().isEmpty(), run.text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void contentIsValidBehindAnyReasoning(Dialects dialect) {
        GrammarSource source =
                schema(
                        """
                        {"type":"object","required":["n"],"additionalProperties":false,
                         "properties":{"n":{"type":"integer"},"s":{"type":"string"}}}\
                        """);
        String open = dialect.marks.open() + dialect.marks.label();
        for (String prompt : List.of("x", open, open + "\n" + dialect.marks.close() + "\n\n")) {
            for (int seed = 0; seed < SEEDS; seed++) {
                GuidedAnswer run = GuidedAnswer.of(() -> content(dialect, prompt, source), seed);

                assertTrue(run.ended(), run.text());
                JsonNode object = Dialects.JSON.readTree(run.answer().content());
                assertTrue(object.get("n").isIntegralNumber(), run.text());
                assertTrue(Set.of("n", "s").containsAll(object.propertyNames()), run.text());
                String written = run.text();
                int begin = written.lastIndexOf(dialect.marks.close());
                String behind = begin < 0 ? written : written.substring(begin).strip();
                assertTrue(behind.endsWith(run.answer().content()), written);
            }
        }
    }

    /** The constraint allows every token in reasoning, except one that ends the answer. */
    @ParameterizedTest
    @EnumSource
    void reasoningIsUnconstrainedExceptForItsEnd(Dialects dialect) {
        String prompt = dialect.marks.open() + dialect.marks.label();

        TokenConstraint constraint =
                content(dialect, prompt, new TextGrammarSource.Choice(List.of("yes", "no")))
                        .constraint();

        TokenMask mask = constraint.mask();
        for (int token = 0; token < BYTES.vocabularySize(); token++) {
            boolean ends = BYTES.endTokens().contains(token);
            assertEquals(!ends, constraint.allows(token), "token " + token);
            assertEquals(!ends, mask.allows(token), "token " + token);
        }
    }

    /** The parser keeps all content, also white space that it otherwise drops after reasoning. */
    @Test
    void contentThatStartsWithSpaceKeepsIt() {
        GrammarSource source = new TextGrammarSource.Choice(List.of("  yes \n"));

        GuidedAnswer run = GuidedAnswer.of(() -> content(Dialects.QWEN35, "<think>\n", source), 1);

        assertEquals("  yes \n", run.answer().content(), run.text());
        assertTrue(run.text().contains("</think>\n\n  yes \n"), run.text());
    }

    @ParameterizedTest
    @CsvSource({"QWEN35,<think>", "GEMMA,<|channel>"})
    void modelMayReasonFirstIfThePromptAllowsIt(Dialects dialect, String mark) {
        GrammarSource source = new TextGrammarSource.Choice(List.of("yes", "no"));
        int open = BYTES.tokenId(mark).orElseThrow();

        TokenConstraint plain = content(dialect, "x", source).constraint();
        TokenConstraint behind =
                content(dialect, mark + dialect.marks.close() + "\n", source).constraint();

        assertTrue(plain.allows(open) && plain.mask().allows(open));
        assertFalse(behind.allows(open) || behind.mask().allows(open));
        plain.accept(BYTES.encode("y", false)[0]);
        assertFalse(plain.allows(open) || plain.mask().allows(open));
    }

    /** Reasoning is off, or the model continues content. */
    @ParameterizedTest
    @CsvSource({"QWEN35,<think>", "GEMMA,<|channel>"})
    void withoutAReasoningBudgetAFormatStartsAtOnce(Dialects dialect, String mark) {
        ResponseSyntax own = dialect.with(BYTES);
        GrammarSource source = new TextGrammarSource.Choice(List.of("yes", "no"));
        ResponseFormat form =
                own.form(
                        List.of(),
                        new ToolCallRequirement.None(),
                        Optional.of(source),
                        GuidedAnswer.COMPILER);
        ResponseOptions options =
                new ResponseOptions(
                        List.of(),
                        List.of(),
                        OptionalInt.of(0),
                        new ToolCallRequirement.None(),
                        form);
        int open = BYTES.tokenId(mark).orElseThrow();

        TokenConstraint constraint = open(own, "x", options).constraint();

        assertFalse(constraint.allows(open) || constraint.mask().allows(open));
        assertTrue(constraint.allows(BYTES.encode("y", false)[0]));
    }

    @ParameterizedTest
    @EnumSource
    @ByDay({1, 4})
    void requiredCallsNameDeclaredToolsAndHaveValidArguments(Dialects dialect) {
        Map<String, Integer> names = new TreeMap<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            GuidedAnswer run =
                    GuidedAnswer.of(
                            () ->
                                    session(
                                            dialect,
                                            "x",
                                            List.of(BOOK, PING),
                                            new ToolCallRequirement.Any(),
                                            Optional.empty()),
                            seed);

            assertTrue(run.ended(), run.text());
            assertEquals("", run.answer().content(), run.text());
            assertFalse(run.answer().calls().isEmpty(), run.text());
            for (Dialects.Call call : run.answer().calls()) {
                names.merge(call.name(), 1, Integer::sum);
                if (call.name().equals("book")) {
                    assertBooking(call.json(), run.text());
                } else {
                    assertTrue(call.json().isObject(), run.text());
                }
            }
        }
        assertEquals(Set.of("book", "ping"), names.keySet());
    }

    @ParameterizedTest
    @EnumSource
    @ByDay({1, 4})
    void namedToolIsCalled(Dialects dialect) {
        for (int seed = 0; seed < SEEDS; seed++) {
            GuidedAnswer run =
                    GuidedAnswer.of(
                            () ->
                                    session(
                                            dialect,
                                            dialect.marks.open() + dialect.marks.label(),
                                            List.of(PING, BOOK),
                                            new ToolCallRequirement.Named("book"),
                                            Optional.empty()),
                            seed);

            assertFalse(run.answer().calls().isEmpty(), run.text());
            for (Dialects.Call call : run.answer().calls()) {
                assertEquals("book", call.name());
                assertBooking(call.json(), run.text());
            }
        }
    }

    /** Free text, and then a call that is as good as a demanded one. */
    @ParameterizedTest
    @EnumSource
    @ByDay({1, 4})
    void strictToolIsCalledCorrectlyWithAutomaticChoice(Dialects dialect) {
        int[] script = BYTES.encode("Let me see. " + dialect.syntax.open(), true);
        for (int seed = 0; seed < SEEDS; seed++) {
            GuidedAnswer run =
                    GuidedAnswer.of(
                            () ->
                                    session(
                                            dialect,
                                            "x",
                                            List.of(loose("look", "{}"), BOOK),
                                            new ToolCallRequirement.None(),
                                            Optional.empty()),
                            seed,
                            script);

            assertTrue(run.answer().content().startsWith("Let me see."), run.text());
            assertFalse(run.answer().calls().isEmpty(), run.text());
            Dialects.Call call = run.answer().calls().getFirst();
            assertTrue(Set.of("look", "book").contains(call.name()));
            if (call.name().equals("book")) {
                assertBooking(call.json(), run.text());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @ByDay({1, 4})
    void formattedContentMayBeCallsInstead(Dialects dialect) {
        boolean called = false;
        boolean answered = false;
        for (int seed = 0; seed < SEEDS; seed++) {
            int[] script = seed % 2 == 0 ? new int[0] : BYTES.encode(dialect.syntax.open(), true);
            GuidedAnswer run =
                    GuidedAnswer.of(
                            () ->
                                    session(
                                            dialect,
                                            dialect.marks.open() + dialect.marks.close(),
                                            List.of(BOOK),
                                            new ToolCallRequirement.None(),
                                            Optional.of(schema("{\"type\":\"boolean\"}"))),
                            seed,
                            script);

            if (run.answer().calls().isEmpty()) {
                answered = true;
                assertTrue(Set.of("true", "false").contains(run.answer().content()), run.text());
            } else {
                called = true;
                run.answer().calls().forEach(call -> assertBooking(call.json(), run.text()));
                assertEquals("", run.answer().content(), run.text());
            }
        }
        assertTrue(called && answered);
    }

    /**
     * The server refuses a strict tool if it cannot enforce the schema. It accepts the same schema
     * for a tool that is not strict.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "QWEN35 | {'properties':{'a':{'type':'string','not':{}}}} | /properties/a/not",
                "QWEN35 | {'properties':{},'if':{}} | /if",
                "GEMMA | {'properties':{'a':{'type':'array','contains':{}}}}"
                        + " | /properties/a/contains",
                "LAGUNA | {'properties':{},'required':['a']} | /required",
                "QWEN3 | {'properties':{'a':{'$ref':'https://else.where'}}} | /properties/a/$ref"
            })
    void unsupportedSchemaIsRefusedWithItsPath(Dialects dialect, String json, String path) {
        String schema = json.replace('\'', '"');
        ToolCallRequirement any = new ToolCallRequirement.Any();
        List<ToolDeclaration> strict = List.of(PING, strict("a", schema));

        GrammarException refusal =
                assertThrows(
                        GrammarException.class,
                        () -> session(dialect, "", strict, any, Optional.empty()));

        assertEquals("/tools/1/function/parameters" + path, refusal.path());
        List<ToolDeclaration> loose = List.of(loose("a", schema));
        GuidedAnswer run =
                GuidedAnswer.of(() -> session(dialect, "", loose, any, Optional.empty()), 3);
        assertEquals("a", run.answer().calls().getFirst().name());
        assertTrue(run.answer().calls().getFirst().json().isObject());
    }

    /** A string that looks like the end of a value, or like a mark, cannot be written. */
    @Test
    void rawStringsDoNotContainTheirTerminator() {
        TokenConstraint constraint =
                session(
                                Dialects.QWEN35,
                                "",
                                List.of(BOOK),
                                new ToolCallRequirement.Named("book"),
                                Optional.empty())
                        .constraint();
        String begin = "<tool_call>\n<function=book>\n<parameter=city>\n";
        int[] tokens = BYTES.encode(begin + "x</parameter", true);
        for (int i = 0; i < tokens.length; i++) {
            OptionalInt forced = constraint.forced();
            assertTrue(
                    forced.isEmpty() || forced.getAsInt() == tokens[i],
                    "token " + i + " " + forced);
            assertTrue(forced.isPresent() || constraint.allows(tokens[i]), "token " + i);
            constraint.accept(tokens[i]);
        }

        assertFalse(constraint.allows(BYTES.encode(">", false)[0]));
        assertTrue(constraint.allows(BYTES.encode("}", false)[0]));
        assertFalse(constraint.allows(BYTES.tokenId("</tool_call>").orElseThrow()));
        assertArrayEquals(new int[0], constraint.forcedTokens(5));
    }
}

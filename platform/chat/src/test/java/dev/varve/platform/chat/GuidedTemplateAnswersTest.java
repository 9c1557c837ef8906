package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.grammar.GrammarCompiler;
import dev.varve.platform.grammar.GrammarSource;
import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Answers in the dialects of templates that must have a form have it. */
class GuidedTemplateAnswersTest {
    private static final int SEEDS = 12;

    private static final ToolDeclaration BOOK =
            new ToolDeclaration(
                    "book",
                    Dialects.JSON.readTree(
                            """
                            {"type":"object","additionalProperties":false,
                             "required":["city","nights"],
                             "properties":{
                               "city":{"type":"string","minLength":1,"maxLength":20},
                               "nights":{"type":"integer","minimum":1,"maximum":30},
                               "tags":{"type":"array","maxItems":2,"items":{"type":"boolean"}}}}\
                            """),
                    true);

    private static final ToolDeclaration PING =
            new ToolDeclaration("ping", Dialects.JSON.readTree("{}"), true);

    private static final OptionalInt BUDGET = OptionalInt.of(20);

    /** A dialect with a vocabulary. */
    private record Model(
            TemplateAnswers dialect,
            Tokenizer tokenizer,
            ResponseSyntax syntax,
            GrammarCompiler compiler) {
        static Model of(TemplateAnswersTest.Case each) {
            Tokenizer tokenizer = each.tokenizer();
            return new Model(
                    each.dialect(),
                    tokenizer,
                    each.dialect().with(tokenizer),
                    new GrammarCompiler(tokenizer));
        }

        GuidedAnswer answer(
                long seed,
                String prompt,
                String script,
                List<ToolDeclaration> tools,
                ToolCallRequirement forced,
                Optional<GrammarSource> content) {
            ResponseFormat form = syntax.form(tools, forced, content, compiler);
            ResponseOptions options = new ResponseOptions(tools, List.of(), BUDGET, forced, form);
            int[] before = tokenizer.encode(prompt, true);
            return GuidedAnswer.of(
                    tokenizer,
                    () -> syntax.open(before, options),
                    seed,
                    tokenizer.encode(script, true));
        }

        /** A prompt that the template may end with. */
        String prompt() {
            return dialect == TemplateAnswers.HARMONY ? "<|start|>assistant" : "x";
        }
    }

    static Stream<TemplateAnswersTest.Case> cases() {
        return TemplateAnswersTest.cases();
    }

    private static void assertBooking(JsonNode arguments, String text) {
        assertTrue(Set.of("city", "nights", "tags").containsAll(arguments.propertyNames()), text);
        String city = arguments.get("city").stringValue();
        int length = city.codePointCount(0, city.length());
        assertTrue(length >= 1 && length <= 20, text);
        int nights = arguments.get("nights").intValue();
        assertTrue(nights >= 1 && nights <= 30, text);
    }

    @ParameterizedTest
    @MethodSource("cases")
    @ByDay({1, 4})
    void requiredCallsNameDeclaredToolsAndHaveValidArguments(TemplateAnswersTest.Case each) {
        Model model = Model.of(each);
        Map<String, Integer> names = new TreeMap<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            GuidedAnswer run =
                    model.answer(
                            seed,
                            model.prompt(),
                            "",
                            List.of(BOOK, PING),
                            new ToolCallRequirement.Any(),
                            Optional.empty());

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
    @MethodSource("cases")
    @ByDay({1, 4})
    void namedToolIsCalled(TemplateAnswersTest.Case each) {
        Model model = Model.of(each);
        String open =
                each.dialect().dialect.marks().reasoning().map(marks -> marks.open()).orElse("x");
        String prompt = each.dialect() == TemplateAnswers.HARMONY ? model.prompt() : open;
        for (int seed = 0; seed < SEEDS; seed++) {
            GuidedAnswer run =
                    model.answer(
                            seed,
                            prompt,
                            "",
                            List.of(PING, BOOK),
                            new ToolCallRequirement.Named("book"),
                            Optional.empty());

            assertFalse(run.answer().calls().isEmpty(), run.text());
            for (Dialects.Call call : run.answer().calls()) {
                assertEquals("book", call.name());
                assertBooking(call.json(), run.text());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    @ByDay({1, 4})
    void strictToolIsCalledCorrectlyWithAutomaticChoice(TemplateAnswersTest.Case each) {
        Model model = Model.of(each);
        String script =
                switch (each.dialect()) {
                    case HARMONY ->
                            "<|channel|>commentary<|message|>Look.<|end|><|start|>assistant"
                                    + " to=functions.book<|channel|>commentary json<|message|>";
                    case LLAMA -> " {";
                    default ->
                            "Look. " + each.dialect().dialect.marks().tools().orElseThrow().open();
                };
        for (int seed = 0; seed < SEEDS; seed++) {
            GuidedAnswer run =
                    model.answer(
                            seed,
                            model.prompt(),
                            script,
                            List.of(PING, BOOK),
                            new ToolCallRequirement.None(),
                            Optional.empty());

            assertFalse(run.answer().calls().isEmpty(), run.text());
            Dialects.Call call = run.answer().calls().getFirst();
            if (call.name().equals("book")) {
                assertBooking(call.json(), run.text());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void contentIsValidBehindAnyReasoning(TemplateAnswersTest.Case each) {
        Model model = Model.of(each);
        GrammarSource source =
                new TextGrammarSource.Schema(
                        Dialects.JSON.readTree(
                                """
                                {"type":"object","required":["n"],"additionalProperties":false,
                                 "properties":{"n":{"type":"integer"},"s":{"type":"string"}}}\
                                """));
        List<String> prompts =
                each.dialect()
                        .dialect
                        .marks()
                        .reasoning()
                        .map(
                                marks ->
                                        List.of(
                                                "x",
                                                marks.open(),
                                                marks.open() + "\n" + marks.close()))
                        .orElse(List.of(model.prompt()));
        for (String prompt : prompts) {
            for (int seed = 0; seed < SEEDS; seed++) {
                GuidedAnswer run =
                        model.answer(
                                seed,
                                prompt,
                                "",
                                List.of(),
                                new ToolCallRequirement.None(),
                                Optional.of(source));

                assertTrue(run.ended(), run.text());
                JsonNode object = Dialects.JSON.readTree(run.answer().content());
                assertTrue(object.get("n").isIntegralNumber(), run.text());
                assertTrue(Set.of("n", "s").containsAll(object.propertyNames()), run.text());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    @ByDay({1, 4})
    void formattedContentMayBeCallsInstead(TemplateAnswersTest.Case each) {
        Model model = Model.of(each);
        boolean called = false;
        boolean answered = false;
        for (int seed = 0; seed < 3 * SEEDS; seed++) {
            GuidedAnswer run =
                    model.answer(
                            seed,
                            model.prompt(),
                            "",
                            List.of(BOOK),
                            new ToolCallRequirement.None(),
                            Optional.of(
                                    new TextGrammarSource.Schema(
                                            Dialects.JSON.readTree("{\"type\":\"boolean\"}"))));

            if (run.answer().calls().isEmpty()) {
                answered = true;
                assertTrue(Set.of("true", "false").contains(run.answer().content()), run.text());
            } else {
                called = true;
                run.answer().calls().forEach(call -> assertBooking(call.json(), run.text()));
            }
        }
        assertTrue(called && answered, "called: " + called + ", answered: " + answered);
    }

    /** A budget ends reasoning as the model would. */
    @ParameterizedTest
    @MethodSource("cases")
    void reasoningEndsWithItsBudget(TemplateAnswersTest.Case each) {
        Model model = Model.of(each);
        if (!model.syntax().hasReasoning()) {
            return;
        }
        boolean isHarmony = each.dialect() == TemplateAnswers.HARMONY;
        String open =
                isHarmony ? "" : each.dialect().dialect.marks().reasoning().orElseThrow().open();
        String begin = isHarmony ? ChannelTokens.REASONING : "";

        GuidedAnswer run =
                model.answer(
                        1,
                        isHarmony ? model.prompt() : open,
                        begin + "abcdefghijklmnopqrstuvwxyz0123456789" + TemplateAnswers.END,
                        List.of(),
                        new ToolCallRequirement.None(),
                        Optional.empty());

        assertEquals("abcdefghijklmnopqrst", run.answer().reasoning().strip(), run.text());
        assertEquals("uvwxyz0123456789", run.answer().content(), run.text());
        assertEquals(ReasoningFinishReason.HARD, run.answer().text().closeKind());
        assertEquals(20, run.answer().text().reasoningTokens(), 1);
    }
}

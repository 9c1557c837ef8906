package dev.varve.platform.chat;

import static dev.varve.platform.chat.Dialects.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.Dialects.Answer;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Answers in the dialects of templates, with marks that are tokens and marks that are text. */
class TemplateAnswersTest {
    private static final ToolDeclaration WEATHER =
            tool("get_weather", "'city':{'type':'string'},'n':{'type':'integer'}");
    private static final ToolDeclaration TIME = tool("time", "");

    /** A dialect with a vocabulary. */
    record Case(TemplateAnswers dialect, boolean isPlain) {
        Tokenizer tokenizer() {
            return isPlain ? dialect.plain : dialect.tokens;
        }

        Answer read(String text, ToolDeclaration... tools) {
            return dialect.read(tokenizer(), text, tools);
        }
    }

    static Stream<Case> cases() {
        return Stream.of(TemplateAnswers.values())
                .flatMap(
                        dialect ->
                                dialect.mayBePlain()
                                        ? Stream.of(
                                                new Case(dialect, false), new Case(dialect, true))
                                        : Stream.of(new Case(dialect, false)));
    }

    @ParameterizedTest
    @EnumSource
    void sourceShowsTheMarkup(TemplateAnswers dialect) {
        assertEquals(dialect.markup, dialect.dialect.markup());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void reasoningAndCallsAreSeparated(Case each) {
        Answer answer =
                each.read(
                        each.dialect.behind("Two cities.", each.dialect.calls("Bern", "Chur")),
                        TIME,
                        WEATHER);

        assertEquals(
                List.of("{\"city\":\"Bern\",\"n\":2}", "{\"city\":\"Chur\",\"n\":2}"),
                arguments(answer));
        assertEquals("", answer.content());
        boolean reasons = each.dialect.with(each.tokenizer()).hasReasoning();
        assertEquals(reasons ? "Two cities." : "", answer.reasoning());
    }

    private static List<String> arguments(Answer answer) {
        return answer.calls().stream().map(call -> call.json().toString()).toList();
    }

    /**
     * Two tokens for each position at which the text may be divided, and one for each character.
     */
    @ParameterizedTest
    @MethodSource("cases")
    void resultDoesNotDependOnTheSplit(Case each) {
        String text =
                each.dialect.behind("So <b>", each.dialect.calls("a<b } ] \\\" é🦙", "x"))
                        + (each.dialect == TemplateAnswers.HARMONY ? "" : "\n");
        List<String> segments = segments(text, each.isPlain ? List.of() : each.dialect.specials);
        Tokenizer words =
                TestTokenizers.ofBytesAndWords(
                        words(segments),
                        each.isPlain
                                ? new String[0]
                                : each.dialect.specials.toArray(String[]::new));
        Map<String, Integer> known = texts(words);
        Answer whole = each.dialect.read(words, ids(words, known, segments, -1, -1), WEATHER);

        for (int segment = 0; segment < segments.size(); segment++) {
            int length = segments.get(segment).length();
            boolean isMark =
                    words.tokenId(segments.get(segment)).stream().anyMatch(words::isSpecial);
            for (int at = 1; at < length && !isMark; at++) {
                if (Character.isLowSurrogate(segments.get(segment).charAt(at))) {
                    continue;
                }
                Answer cut =
                        each.dialect.read(words, ids(words, known, segments, segment, at), WEATHER);
                assertSame(whole, cut, segments + " at " + at);
            }
        }
        assertSame(whole, each.dialect.read(words, text, WEATHER), text);
        assertEquals(2, whole.calls().size(), text);
        assertEquals(
                "a<b } ] \" é🦙".length(),
                whole.calls()
                        .getFirst()
                        .json()
                        .path("city")
                        .stringValue()
                        .replace("\\\"", "\"")
                        .length());
    }

    private static void assertSame(Answer wanted, Answer found, String context) {
        assertEquals(wanted.reasoning(), found.reasoning(), context);
        assertEquals(wanted.content(), found.content(), context);
        assertEquals(wanted.calls(), found.calls(), context);
    }

    /** Divides a text at its marks. */
    private static List<String> segments(String text, List<String> marks) {
        if (marks.isEmpty()) {
            return List.of(text);
        }
        String any = marks.stream().map(Pattern::quote).collect(Collectors.joining("|"));
        return Arrays.stream(text.split("(?<=" + any + ")|(?=" + any + ")"))
                .filter(part -> !part.isEmpty())
                .toList();
    }

    private static List<String> words(List<String> segments) {
        Set<String> words = new LinkedHashSet<>();
        for (String segment : segments) {
            boolean isMark = segments.size() > 1 && segment.matches("<[^<>]*>|\\[[/A-Z_]+]");
            for (int at = isMark ? segment.length() : 1; at <= segment.length(); at++) {
                if (at == segment.length() || !Character.isLowSurrogate(segment.charAt(at))) {
                    words.add(segment.substring(0, at));
                    words.add(segment.substring(at));
                }
            }
        }
        words.remove("");
        return List.copyOf(words);
    }

    /** The last token of each text. */
    private static Map<String, Integer> texts(Tokenizer words) {
        Map<String, Integer> known = new HashMap<>();
        for (int id = 0; id < words.vocabularySize(); id++) {
            known.put(words.decode(new int[] {id}, true), id);
        }
        return known;
    }

    private static int[] ids(
            Tokenizer words, Map<String, Integer> known, List<String> segments, int cut, int at) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < segments.size(); i++) {
            if (i == cut) {
                parts.add(segments.get(i).substring(0, at));
                parts.add(segments.get(i).substring(at));
            } else {
                parts.add(segments.get(i));
            }
        }
        return parts.stream()
                .mapToInt(part -> MarkTable.special(words, part).orElseGet(() -> known.get(part)))
                .toArray();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void undeclaredToolIsContent(Case each) {
        String calls = each.dialect.calls("Bern");

        Answer answer = each.read(calls, TIME);

        assertEquals(List.of(), answer.calls());
        String wanted =
                each.dialect == TemplateAnswers.HARMONY ? "{\"city\": \"Bern\", \"n\": 2}" : calls;
        assertEquals(wanted, answer.content());
        assertEquals(wanted, each.read(calls).content());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void textAroundCallsIsContent(Case each) {
        if (each.dialect == TemplateAnswers.LLAMA || each.dialect == TemplateAnswers.HARMONY) {
            return;
        }
        Answer answer = each.read("Look.\n\n" + each.dialect.calls("Bern") + "\nDone.", WEATHER);

        assertEquals("Look.Done.", answer.content());
        assertEquals(List.of("{\"city\":\"Bern\",\"n\":2}"), arguments(answer));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void truncatedAnswerIsReadAsFarAsItGoes(Case each) {
        int[] whole =
                each.tokenizer()
                        .encode(each.dialect.behind("Why", each.dialect.calls("Bern")), true);
        for (int length = 0; length < whole.length; length++) {
            Answer answer =
                    each.dialect.read(each.tokenizer(), Arrays.copyOf(whole, length), WEATHER);

            if (!answer.calls().isEmpty()) {
                assertEquals("", answer.content());
                assertTrue("Bern".startsWith(answer.call().json().path("city").asString("")));
            }
        }
    }

    static Stream<String> harmlessTexts() {
        return Stream.of(
                "{\"a\": {\"name\": \"get_weather\"}}",
                "{\"name\": \"Bern\", \"size\": 3}",
                "[{\"name\": \"time\"}, 2]",
                "```json\n{\"name\": \"get_weather\", \"parameters\": {}}\n```",
                "```\n"
                        + "<tool_call>\n"
                        + "{\"name\": \"get_weather\", \"arguments\": {}}\n"
                        + "</tool_call>\n"
                        + "```\n",
                "Use <tool_call> and </tool_call>, `<think>` or </think>.",
                "`<function=get_weather>` and <invoke name=\"time\">",
                "a < b, [TOOL], [TOOL_CALLS] and [ARGS], <too",
                "if (x) { y[0] = {\"name\": 1}; }",
                "<minimax:tool_call> <seed:tool_call> <|python_tag|>",
                " \n x \n\n");
    }

    @ParameterizedTest
    @MethodSource("harmlessTexts")
    void plainTextStaysContent(String text) {
        for (TemplateAnswers dialect : TemplateAnswers.values()) {
            String context = dialect + ": " + text;
            Tokenizer plain = dialect.mayBePlain() ? dialect.plain : dialect.tokens;
            Answer answer = dialect.read(plain, plain.encode(text, false), WEATHER, TIME);
            Tokenizer words = words(dialect, text);
            Answer word = dialect.read(words, new int[] {texts(words).get(text)}, WEATHER, TIME);

            String wanted = dialect == TemplateAnswers.HARMONY ? text.stripLeading() : text;
            assertEquals(wanted, answer.content(), context);
            assertEquals(List.of(), answer.calls(), context);
            assertEquals("", answer.reasoning(), context);
            assertEquals(wanted, word.content(), context);
        }
    }

    private static Tokenizer words(TemplateAnswers dialect, String text) {
        return TestTokenizers.ofBytesAndWords(
                List.of(text),
                dialect.mayBePlain() ? new String[0] : dialect.specials.toArray(String[]::new));
    }

    @Test
    void markInAStringOfJsonIsPartOfIt() {
        String call =
                "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"a </tool_call>"
                        + " <tool_call> b\"}}</tool_call>";

        Answer answer = TemplateAnswers.HERMES.read(TemplateAnswers.HERMES.plain, call, WEATHER);

        assertEquals(
                "a </tool_call> <tool_call> b", answer.call().json().path("city").stringValue());
    }

    @Test
    void valuesWithoutLinesAroundKeepTheirNewlines() {
        for (TemplateAnswers dialect :
                List.of(TemplateAnswers.MINIMAX, TemplateAnswers.SEED, TemplateAnswers.GLM)) {
            Answer answer = dialect.read(dialect.tokens, dialect.calls("\n a\n"), WEATHER);

            assertEquals("\n a\n", answer.call().json().path("city").stringValue(), dialect.name());
        }
    }

    @Test
    void wholeResponseIsACallOnlyWithItsKeysAndTools() {
        TemplateAnswers llama = TemplateAnswers.LLAMA;

        assertEquals(
                "time",
                llama.read(
                                llama.tokens,
                                "\n"
                                        + "{\"type\": \"function\", \"name\": \"time\","
                                        + " \"parameters\": {}}",
                                TIME)
                        .call()
                        .name());
        assertEquals(
                1,
                llama.read(llama.tokens, "<|python_tag|>" + llama.calls("Bern"), WEATHER)
                        .calls()
                        .size());
        assertEquals(
                2,
                llama.read(llama.tokens, llama.calls("Bern") + "; " + llama.calls("Chur"), WEATHER)
                        .calls()
                        .size());
        String late = "Well: " + llama.calls("Bern");
        assertEquals(late, llama.read(llama.tokens, late, WEATHER).content());
        // The first key decides at once, whatever follows.
        ResponseParser text =
                llama.with(llama.tokens).open(new int[0], Dialects.options(WEATHER)).text();
        StringBuilder shown = new StringBuilder();
        for (int token : llama.tokens.encode("{\"a\"", false)) {
            shown.append(text.push(token).content());
        }
        assertEquals("{\"a\"", shown.toString());
    }

    @Test
    void promptThatEndsInAMarkInPlainTextBeginsInReasoning() {
        TemplateAnswers hermes = TemplateAnswers.HERMES;
        ResponseSyntax syntax = hermes.with(hermes.plain);

        assertTrue(syntax.beginsInReasoning(hermes.plain.encode("x<think>\n", true)));
        for (String prompt : List.of("x", "<think> x", "<think>\n\n</think>\n\n")) {
            assertTrue(!syntax.beginsInReasoning(hermes.plain.encode(prompt, true)), prompt);
        }
        Answer answer =
                Answer.of(
                        syntax.open(
                                        hermes.plain.encode("x<think>\n", true),
                                        Dialects.options(WEATHER))
                                .text(),
                        hermes.plain.encode("Why?</think>\n\nSo.", true));
        assertEquals("Why?", answer.reasoning());
        assertEquals("So.", answer.content());
        assertEquals(4, answer.text().reasoningTokens());
    }

    @Test
    void callWithinReasoningEndsIt() {
        for (TemplateAnswers dialect :
                List.of(TemplateAnswers.FUNCTION_TAGS, TemplateAnswers.HERMES)) {
            for (Tokenizer tokenizer : List.of(dialect.tokens, dialect.plain)) {
                Answer answer =
                        dialect.read(
                                tokenizer, "<think>I look.\n" + dialect.calls("Bern"), WEATHER);

                assertEquals("I look.", answer.reasoning().strip());
                assertEquals("get_weather", answer.call().name());
            }
        }
    }
}

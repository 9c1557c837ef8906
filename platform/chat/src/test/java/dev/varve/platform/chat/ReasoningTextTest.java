package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.platform.chat.Dialects.Answer;
import dev.varve.platform.tokenizer.TestTokenizers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Every byte is a token here: every text is split at every position. */
class ReasoningTextTest {
    @Test
    void reasoningOpenedByThePromptEndsAtItsDelimiter() {
        Answer answer =
                Dialects.QWEN35.read("x<think>\n", "plan</think>\n\nanswer", Dialects.options());

        assertEquals("plan", answer.reasoning());
        assertEquals("answer", answer.content());
        assertEquals(4, answer.text().reasoningTokens());
        assertEquals(ReasoningFinishReason.NATURAL, answer.text().closeKind());
    }

    @Test
    void unclosedReasoningIsAllReasoning() {
        Answer answer = Dialects.QWEN35.read("<think>", " a b ", Dialects.options());

        assertEquals("a b ", answer.reasoning());
        assertEquals("", answer.content());
        assertEquals(5, answer.text().reasoningTokens());
        assertEquals(ReasoningFinishReason.OPEN, answer.text().closeKind());
    }

    @Test
    void responseWithoutReasoningIsContent() {
        Answer answer = Dialects.QWEN35.read("<think>\n\n</think>\n\n", "\nhi", Dialects.options());

        assertEquals("hi", answer.content());
        assertEquals(ReasoningFinishReason.NONE, answer.text().closeKind());
        assertEquals(0, answer.text().reasoningTokens());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<|channel>thought\nplan<channel|>answer",
                "<|channel>analysis\n plan<channel|>\n answer",
                "<|channel>\nplan<channel|>answer",
                "<|channel>plan<channel|>answer"
            })
    void channelNameLineIsNotPartOfTheReasoning(String text) {
        Answer answer = Dialects.GEMMA.read("", text, Dialects.options());

        assertEquals("plan", answer.reasoning());
        assertEquals("answer", answer.content());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~<|channel>thought~            | ''",
                "~<|channel>two words\nplan~    | ~two words\nplan~",
                "~<|channel>one~                | one"
            })
    void textThatIsNoChannelNameIsReasoning(String text, String reasoning) {
        Answer answer = Dialects.GEMMA.read("", text, Dialects.options());

        assertEquals(reasoning.equals("''") ? "" : reasoning, answer.reasoning());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"<|channel>", "<|channel>tho", "<|channel>thought", "<|channel>thought\n"})
    void channelLabelMayStartInThePrompt(String prompt) {
        String label = "<|channel>thought\n";

        Answer answer =
                Dialects.GEMMA.read(
                        prompt,
                        label.substring(prompt.length()) + "plan<channel|>answer",
                        Dialects.options());

        assertEquals("plan", answer.reasoning());
        assertEquals("answer", answer.content());
    }

    @Test
    void textThatLooksLikeADelimiterIsText() {
        String text = "a </think> b <tool_call> c";

        Answer answer =
                Dialects.QWEN35.read(
                        Dialects.BYTES,
                        new int[0],
                        Dialects.BYTES.encode(text, false),
                        Dialects.options(Dialects.tool("f", "")));

        assertEquals(text, answer.content());
    }

    /** A tool call counts even if the model does not close its reasoning first. */
    @ParameterizedTest
    @EnumSource
    void toolCallEndsTheReasoning(Dialects dialect) {
        String open = dialect.marks.open();
        String call = ToolCallTest.call(dialect, "Bern");
        for (String behind :
                List.of("", "\n", dialect.marks.close(), "\n" + dialect.marks.close())) {
            Answer answer =
                    dialect.read(
                            "x" + open,
                            "I should look.\n" + call + behind,
                            Dialects.options(ToolCallTest.WEATHER));

            assertEquals("I should look.", answer.reasoning().strip());
            assertEquals("", answer.content().strip());
            assertEquals("{\"city\":\"Bern\",\"n\":2}", answer.call().json().toString());
            assertEquals(ReasoningFinishReason.NATURAL, answer.text().closeKind());
        }
    }

    @ParameterizedTest
    @EnumSource
    void invalidCallInsideReasoningStaysReasoning(Dialects dialect) {
        for (String text :
                List.of(
                        "a " + dialect.syntax.open() + " b",
                        "a " + dialect.syntax.open() + dialect.syntax.close() + " b",
                        "a " + dialect.syntax.open() + "?" + dialect.syntax.open() + " b",
                        "a " + ToolCallTest.call(dialect, "Bern") + " b")) {
            Answer answer =
                    dialect.read(
                            "x" + dialect.marks.open(),
                            text + dialect.marks.close() + "c",
                            Dialects.options(Dialects.tool("other", "")));

            assertEquals(text, answer.reasoning());
            assertEquals("c", answer.content());
            assertEquals(List.of(), answer.calls());
            assertEquals(Dialects.BYTES.encode(text, true).length, answer.text().reasoningTokens());
        }
    }

    @ParameterizedTest
    @EnumSource
    void spelledCallMarkersInsideReasoningAreReasoning(Dialects dialect) {
        String call = ToolCallTest.call(dialect, "Bern");
        int[] thought = Dialects.BYTES.encode(call, false);
        int[] tokens = Arrays.copyOf(thought, thought.length + 1);
        tokens[thought.length] = Dialects.BYTES.tokenId(dialect.marks.close()).orElseThrow();

        Answer answer =
                dialect.read(
                        Dialects.BYTES,
                        Dialects.BYTES.encode("x" + dialect.marks.open(), true),
                        tokens,
                        Dialects.options(ToolCallTest.WEATHER));

        assertEquals(call, answer.reasoning());
        assertEquals(List.of(), answer.calls());
    }

    @ParameterizedTest
    @EnumSource
    void reasoningDelimitersBehindContentAreText(Dialects dialect) {
        for (String text :
                List.of(
                        "Models use OPEN tags for that.",
                        "Models use OPEN and CLOSE for that.",
                        "CLOSE",
                        "OPENx",
                        "It is CLOSE here")) {
            String spelled =
                    "It: "
                            + text.replace("OPEN", dialect.marks.open())
                                    .replace("CLOSE", dialect.marks.close());

            for (ResponseOptions options :
                    List.of(Dialects.options(), Dialects.options(ToolCallTest.WEATHER))) {
                Answer answer = dialect.read("", spelled, options);

                assertEquals(spelled, answer.content());
                assertEquals("", answer.reasoning());
                assertEquals(ReasoningFinishReason.NONE, answer.text().closeKind());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void reasoningMayFollowReasoningOrACall(Dialects dialect) {
        String thought = dialect.marks.open() + dialect.marks.label() + "b" + dialect.marks.close();

        Answer behindThought =
                dialect.read(
                        "x" + dialect.marks.open(),
                        "a" + dialect.marks.close() + "\n" + thought + "c",
                        Dialects.options());
        Answer behindCall =
                dialect.read(
                        "",
                        "a" + ToolCallTest.call(dialect, "Bern") + "\n" + thought + "c",
                        Dialects.options(ToolCallTest.WEATHER));

        assertEquals("ab", behindThought.reasoning());
        assertEquals("c", behindThought.content());
        assertEquals("b", behindCall.reasoning());
        assertEquals("ac", behindCall.content());
    }

    @Test
    void unmatchedCloseDelimiterIsText() {
        assertEquals("</think>", Dialects.QWEN3.read("</think>").content());
        assertEquals(
                "a</think>b",
                Dialects.QWEN35
                        .read("<think>", "x</think>a</think>b", Dialects.options())
                        .content());
        assertEquals("a</think>b", Dialects.QWEN35.read("a</think>b").content());
    }

    @Test
    void nestedOpenDelimiterIsPartOfTheReasoning() {
        Answer answer =
                Dialects.QWEN35.read(
                        "<think>", "<think>\nThe <think> mark</think>x", Dialects.options());

        assertEquals("The <think> mark", answer.reasoning());
        assertEquals("x", answer.content());
    }

    @Test
    void multiTokenCharacterIsOneCharacter() {
        assertEquals("a🦙b", Dialects.QWEN35.read("a🦙b").content());
        assertEquals(
                "a\uFFFD",
                Dialects.QWEN35
                        .read(Dialects.BYTES, new int[0], new int[] {'a', 0x80}, Dialects.options())
                        .content());
    }

    @Test
    void stopStringsApplyToContentOnly() {
        Answer answer =
                Dialects.QWEN35.read(
                        "<think>",
                        "xEND</think>abENDcd",
                        Dialects.options(List.of("END"), Dialects.tool("f", "")));

        assertEquals("xEND", answer.reasoning());
        assertEquals("ab", answer.content());
        assertEquals(Optional.of("END"), answer.text().stopFound());
    }

    @ParameterizedTest
    @CsvSource({
        "<think>, true",
        "<think>\\n, true",
        "<think></think>, false",
        "</think><think>, true",
        "<think>x, false",
        "x, false",
        "'', false"
    })
    void lastDelimiterOfThePromptDecidesWhetherReasoningIsOpen(String prompt, boolean open) {
        int[] tokens = Dialects.BYTES.encode(prompt.replace("\\n", "\n"), true);

        assertEquals(open, Dialects.QWEN35.with(Dialects.BYTES).beginsInReasoning(tokens));
    }

    @Test
    void spelledDelimiterInThePromptOpensNothing() {
        int[] tokens = Dialects.BYTES.encode("<think>", false);

        assertFalse(Dialects.QWEN35.with(Dialects.BYTES).beginsInReasoning(tokens));
    }

    @Test
    void delimitersMissingInTheVocabularyDisableTheFeature() {
        ResponseSyntax none = Dialects.QWEN35.with(TestTokenizers.ofBytes("<think>"));
        ResponseSyntax some =
                Dialects.QWEN35.with(TestTokenizers.ofBytes("<tool_call>", "</tool_call>"));

        assertFalse(none.hasReasoning() || none.hasTools());
        assertTrue(some.hasTools() && !some.hasReasoning());
    }

    @Test
    void syntaxWithoutDelimitersShowsEverything() {
        ResponseSyntax plain =
                ResponseSyntax.of(
                        new ChatDialect(Optional.of(ReasoningMarks.think()), Optional.empty()),
                        TestTokenizers.ofBytes());

        Answer answer =
                Answer.of(
                        plain.open(new int[0], Dialects.options()).text(),
                        new int[] {'h', 'i', '\n'});

        assertEquals("hi\n", answer.content());
    }
}

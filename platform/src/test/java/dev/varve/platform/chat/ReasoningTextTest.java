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
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Optional;

/** Every byte is a token here: every text is split at every position. */
class ReasoningTextTest {
    @Test
    void aThoughtThatThePromptOpenedEndsAtItsMark() {
        Answer answer =
                Dialects.QWEN35.read("x<think>\n", "plan</think>\n\nanswer", Dialects.options());

        assertEquals("plan", answer.reasoning());
        assertEquals("answer", answer.content());
        assertEquals(4, answer.text().reasoningTokens());
        assertEquals(CloseKind.NATURAL, answer.text().closeKind());
    }

    @Test
    void aThoughtThatIsNeverClosedIsAllReasoning() {
        Answer answer = Dialects.QWEN35.read("<think>", " a b ", Dialects.options());

        assertEquals("a b ", answer.reasoning());
        assertEquals("", answer.content());
        assertEquals(5, answer.text().reasoningTokens());
        assertEquals(CloseKind.OPEN, answer.text().closeKind());
    }

    @Test
    void anAnswerWithoutThoughtIsContent() {
        Answer answer = Dialects.QWEN35.read("<think>\n\n</think>\n\n", "\nhi", Dialects.options());

        assertEquals("hi", answer.content());
        assertEquals(CloseKind.NONE, answer.text().closeKind());
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
    void theLineThatNamesAChannelIsNoPartOfTheThought(String text) {
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
    void aBeginningThatIsNoNameOfAChannelIsThought(String text, String reasoning) {
        Answer answer = Dialects.GEMMA.read("", text, Dialects.options());

        assertEquals(reasoning.equals("''") ? "" : reasoning, answer.reasoning());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"<|channel>", "<|channel>tho", "<|channel>thought", "<|channel>thought\n"})
    void aLabelMayBeginInThePrompt(String prompt) {
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
    void textThatLooksLikeAMarkIsText() {
        String text = "a </think> b <tool_call> c";

        Answer answer =
                Dialects.QWEN35.read(
                        Dialects.BYTES,
                        new int[0],
                        Dialects.BYTES.encode(text, false),
                        Dialects.options(Dialects.tool("f", "")));

        assertEquals(text, answer.content());
    }

    @Test
    void marksOfCallsInAThoughtAreThought() {
        Answer answer =
                Dialects.QWEN35.read(
                        "<think>",
                        "<tool_call>\n<function=f>\n</function></tool_call></think>x",
                        Dialects.options(Dialects.tool("f", "")));

        assertEquals("<tool_call>\n<function=f>\n</function></tool_call>", answer.reasoning());
        assertEquals("x", answer.content());
    }

    @Test
    void aCharacterOfSeveralTokensIsOne() {
        assertEquals("a🦙b", Dialects.QWEN35.read("a🦙b").content());
        assertEquals(
                "a\uFFFD",
                Dialects.QWEN35
                        .read(Dialects.BYTES, new int[0], new int[] {'a', 0x80}, Dialects.options())
                        .content());
    }

    @Test
    void stopStringsCountInTheContentOnly() {
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
    void theLastMarkOfThePromptSaysWhetherAThoughtIsOpen(String prompt, boolean open) {
        int[] tokens = Dialects.BYTES.encode(prompt.replace("\\n", "\n"), true);

        assertEquals(open, Dialects.QWEN35.with(Dialects.BYTES).beginsInReasoning(tokens));
    }

    @Test
    void aSpellingInThePromptOpensNothing() {
        int[] tokens = Dialects.BYTES.encode("<think>", false);

        assertFalse(Dialects.QWEN35.with(Dialects.BYTES).beginsInReasoning(tokens));
    }

    @Test
    void marksThatTheVocabularyLacksSwitchAFeatureOff() {
        AnswerDialect none = Dialects.QWEN35.with(TestTokenizers.ofBytes("<think>"));
        AnswerDialect some =
                Dialects.QWEN35.with(TestTokenizers.ofBytes("<tool_call>", "</tool_call>"));

        assertFalse(none.hasReasoning() || none.hasTools());
        assertTrue(some.hasTools() && !some.hasReasoning());
    }

    @Test
    void aDialectWithoutMarksShowsEverything() {
        AnswerDialect plain =
                AnswerDialect.of(
                        new ChatDialect(Optional.of(ReasoningMarks.think()), Optional.empty()),
                        TestTokenizers.ofBytes());

        Answer answer =
                Answer.of(
                        plain.open(new int[0], Dialects.options()).text(),
                        new int[] {'h', 'i', '\n'});

        assertEquals("hi\n", answer.content());
    }
}

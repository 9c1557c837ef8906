package dev.varve.platform.chat;

import static dev.varve.platform.chat.Dialects.BYTES;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * A scripted model behind a constraint: it says the next token of its script where nothing is
 * forced.
 */
class ResponseGuideTest {
    private static final ToolDeclaration WEATHER =
            Dialects.tool("get_weather", "'city':{'type':'string'},'n':{'type':'integer'}");

    /** The generated text with forced tokens in brackets, its parser, and the tool calls. */
    private record Run(String text, ResponseParser answer, List<ToolCallDelta> calls) {
        static Run of(ResponseState session, String script) {
            StringBuilder text = new StringBuilder();
            List<ToolCallDelta> calls = new ArrayList<>();
            int[] own = BYTES.encode(script, true);
            int next = 0;
            boolean wasForced = false;
            while (true) {
                OptionalInt forced = session.constraint().forced();
                if (forced.isEmpty() && next == own.length) {
                    break;
                }
                int token = forced.isPresent() ? forced.getAsInt() : own[next++];
                session.constraint().accept(token);
                calls.addAll(session.text().push(token).calls());
                text.append(forced.isPresent() == wasForced ? "" : wasForced ? "]" : "[");
                wasForced = forced.isPresent();
                text.append(BYTES.decode(new int[] {token}, true));
            }
            calls.addAll(session.text().finish().calls());
            return new Run(text + (wasForced ? "]" : ""), session.text(), calls);
        }
    }

    private static ResponseState session(
            Dialects dialect, String prompt, OptionalInt budget, ToolCallRequirement call) {
        return dialect.with(BYTES)
                .open(
                        BYTES.encode(prompt, true),
                        new ResponseOptions(List.of(WEATHER), List.of(), budget, call));
    }

    private static ResponseState thinking(Dialects dialect, String prompt, int budget) {
        return session(dialect, prompt, OptionalInt.of(budget), new ToolCallRequirement.None());
    }

    @Test
    void reasoningEndsWhenItsBudgetIsSpent() {
        Run run = Run.of(thinking(Dialects.QWEN35, "<think>\n", 10), "0123456789answer");

        assertEquals("0123456789[\n</think>\n\n]answer", run.text());
        assertEquals(ReasoningFinishReason.HARD, run.answer().closeKind());
        assertEquals(11, run.answer().reasoningTokens());
    }

    @Test
    void reasoningEndedByTheModelIsUnchanged() {
        Run run =
                Run.of(thinking(Dialects.QWEN35, "<think>\n", 10), "01234</think>0123456789answer");

        assertEquals("01234</think>0123456789answer", run.text());
        assertEquals(ReasoningFinishReason.NATURAL, run.answer().closeKind());
    }

    @ParameterizedTest
    @CsvSource({"<think>\\n, '[\\n</think>\\n\\n]answer'", "x, answer", "<think></think>, answer"})
    void withoutABudgetOpenReasoningIsClosedAtOnce(String prompt, String text) {
        Run run = Run.of(thinking(Dialects.QWEN35, prompt.replace("\\n", "\n"), 0), "answer");

        assertEquals(text.replace("\\n", "\n"), run.text());
    }

    @Test
    void budgetCountsFromTheOpeningDelimiter() {
        Run run =
                Run.of(
                        thinking(Dialects.GEMMA, "x", 10),
                        "\n\n\n\n\n\n\n\n\n\n\n<|channel>thought\nabanswer");

        assertEquals("\n\n\n\n\n\n\n\n\n\n\n<|channel>thought\nab[\n<channel|>]answer", run.text());
    }

    @Test
    void delimiterBehindContentSpendsNoBudget() {
        Run run = Run.of(thinking(Dialects.QWEN35, "", 3), "text <think>abcdef");

        assertEquals("text <think>abcdef", run.text());
        assertEquals(0, run.answer().reasoningTokens());
    }

    @ParameterizedTest
    @EnumSource
    void callInsideReasoningEndsItsBudget(Dialects dialect) {
        String script = "ab" + ToolCallTest.call(dialect, "Bern");

        Run run = Run.of(thinking(dialect, "x" + dialect.marks.open(), 12), script);

        assertEquals(script, run.text());
        assertEquals(1, run.answer().callCount());
        assertEquals(ReasoningFinishReason.NATURAL, run.answer().closeKind());
    }

    @Test
    void invalidCallInsideReasoningSpendsItsBudget() {
        Run run = Run.of(thinking(Dialects.QWEN35, "<think>", 6), "ab<tool_call>?cdefg");

        assertEquals("ab<tool_call>?cdef[\n</think>\n\n]g", run.text());
    }

    /** A call that the model begins within its reasoning is the demanded call. */
    @ParameterizedTest
    @EnumSource
    void requiredCallMayStartInsideReasoning(Dialects dialect) {
        String call = ToolCallTest.call(dialect, "Bern");
        String forced = call.substring(0, call.indexOf("get_weather"));
        String open = dialect.syntax.open();

        Run run =
                Run.of(
                        session(
                                dialect,
                                "x" + dialect.marks.open(),
                                OptionalInt.empty(),
                                new ToolCallRequirement.Any()),
                        "ab" + open + call.substring(forced.length()));

        assertEquals(1, run.answer().callCount());
        assertEquals("ab" + call, run.text().replace("[", "").replace("]", ""));
    }

    @Test
    void disabledReasoningIsEmptyWithItsLabel() {
        Run run = Run.of(thinking(Dialects.GEMMA, "x", 0), "<|channel>answer");

        assertEquals("<|channel>[thought\n\n<channel|>]answer", run.text());
        assertEquals(ReasoningFinishReason.HARD, run.answer().closeKind());
    }

    @Test
    void budgetCoversAllReasoningBlocks() {
        Run run = Run.of(thinking(Dialects.QWEN3, "", 3), "<think>ab</think>\n<think>cde");

        assertEquals("<think>ab</think>\n<think>c[\n</think>\n\n]de", run.text());
    }

    @ParameterizedTest
    @EnumSource
    void namedCallIsForcedUpToItsArguments(Dialects dialect) {
        String call = ToolCallTest.call(dialect, "Bern");
        ResponseState session =
                session(
                        dialect,
                        "x",
                        OptionalInt.empty(),
                        new ToolCallRequirement.Named("get_weather"));
        String written = Run.of(session, "").text();
        String forced = written.substring(1, written.length() - 1);
        assertTrue(call.startsWith(forced), forced);

        Run run =
                Run.of(
                        session(
                                dialect,
                                "x",
                                OptionalInt.empty(),
                                new ToolCallRequirement.Named("get_weather")),
                        call.substring(forced.length()));

        assertTrue(forced.contains("get_weather"), forced);
        assertEquals(1, run.answer().callCount());
        assertEquals(call, run.text().replaceFirst("\\[", "").replaceFirst("\\]", ""));
    }

    @ParameterizedTest
    @EnumSource
    void requiredCallIsForcedUpToItsName(Dialects dialect) {
        String call = ToolCallTest.call(dialect, "Bern");
        String beginning = call.substring(0, call.indexOf("get_weather"));

        Run run =
                Run.of(
                        session(dialect, "x", OptionalInt.empty(), new ToolCallRequirement.Any()),
                        call.substring(beginning.length()));

        assertEquals("[" + beginning + "]" + call.substring(beginning.length()), run.text());
        assertEquals(1, run.answer().callCount());
    }

    @Test
    void requiredCallWaitsForTheEndOfReasoning() {
        String forced = "\n\n<tool_call>\n<function=";

        Run natural =
                Run.of(
                        session(
                                Dialects.QWEN35,
                                "<think>",
                                OptionalInt.empty(),
                                new ToolCallRequirement.Any()),
                        "plan</think>f");
        Run hard =
                Run.of(
                        session(
                                Dialects.QWEN35,
                                "<think>",
                                OptionalInt.of(2),
                                new ToolCallRequirement.Any()),
                        "plf");

        assertEquals("plan</think>[" + forced + "]f", natural.text());
        assertEquals("pl[\n</think>" + forced + "]f", hard.text());
    }

    @Test
    void toolNameSpelledLikeASpecialTokenIsText() {
        ResponseState session =
                session(
                        Dialects.QWEN35,
                        "",
                        OptionalInt.empty(),
                        new ToolCallRequirement.Named("a<|end|>"));
        List<Integer> forced = new ArrayList<>();
        for (OptionalInt next = session.constraint().forced();
                next.isPresent();
                next = session.constraint().forced()) {
            forced.add(next.getAsInt());
            session.constraint().accept(next.getAsInt());
        }

        assertTrue(!forced.contains(special(BYTES, "<|end|>")), forced.toString());
        assertTrue(forced.contains(special(BYTES, "<tool_call>")), forced.toString());
    }

    private static int special(Tokenizer tokenizer, String text) {
        return tokenizer.tokenId(text).orElseThrow();
    }
}

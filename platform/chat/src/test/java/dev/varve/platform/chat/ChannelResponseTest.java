package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.Dialects.Answer;
import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.grammar.GrammarCompiler;
import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Responses of messages in channels, as models write them. */
class ChannelResponseTest {
    private static final Tokenizer BYTES = TemplateAnswers.HARMONY.tokens;
    private static final ResponseSyntax SYNTAX = TemplateAnswers.HARMONY.with(BYTES);
    private static final String PROMPT = "<|start|>user<|message|>Hi<|end|><|start|>assistant";
    private static final ToolDeclaration TOOL =
            Dialects.tool("f", "'s':{'type':'string'},'n':{'type':'integer'}");

    private static ResponseOptions options(List<String> stops) {
        return new ResponseOptions(
                List.of(TOOL), stops, OptionalInt.empty(), new ToolCallRequirement.None());
    }

    private static Answer read(String prompt, String text, String... stops) {
        return Answer.of(
                SYNTAX.open(BYTES.encode(prompt, true), options(List.of(stops))).text(),
                BYTES.encode(text, true));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            nullValues = "-",
            value = {
                "<|channel|>analysis<|message|>Why<|end|><|start|>assistant<|channel|>final"
                        + "<|message|>So.~Why~So.~-",
                "<|channel|>final<|message|>So.~-~So.~-",
                "<|channel|>final <|constrain|>json<|message|>{\"a\": 1}~-~{\"a\": 1}~-",
                "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>"
                        + "commentary to=functions.f <|constrain|>json<|message|>{\"n\": 1}"
                        + "~-~I look.~{\"n\": 1}",
                " to=functions.f<|channel|>commentary json<|message|>{\"n\": 1}~-~-~{\"n\": 1}",
                " to=functions.f<|channel|>commentary <|constrain|>json<|message|>{\"n\": 1}"
                        + "~-~-~{\"n\": 1}",
                "<|channel|>analysis to=functions.f code<|message|>{\"n\": 1}~-~-~{\"n\": 1}",
                "<|channel|>commentary to=assistant<|channel|>commentary to=functions.f"
                        + " <|constrain|>json<|message|>{\"n\": 1}~-~-~{\"n\": 1}",
                "<|channel|>commentary to=functions.f<|message|>{\"s\": \"a<b>\"}"
                        + "~-~-~{\"s\": \"a<b>\"}",
                "<|channel|>commentary to=functions.f<|message|>~-~-~{}",
                "<|channel|>commentary to=functions.g<|message|>{\"n\": 1}~-~{\"n\": 1}~-",
                "<|channel|>commentary to=functions.f<|message|>no JSON~-~no JSON~-",
                "<|channel|>analysis to=browser.search<|message|>{\"q\": 1}<|end|><|start|>"
                        + "assistant<|channel|>final<|message|>So.~-~So.~-",
                "<|channel|>commentary?<|message|>Well.~-~Well.~-",
                "<|channel|>thoughts of mine<|message|>Well.~-~Well.~-",
                "<|message|>Well.~-~Well.~-",
                "Well.<|end|><|start|>assistant<|channel|>final<|message|>So.~-~`Well.\n\nSo.`~-",
                "<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>analysis"
                        + "<|message|>B<|end|><|start|>assistant<|channel|>final<|message|>C"
                        + "~`A\n\nB`~C~-",
                "<|channel|>analysis<|message|>A<|channel|>final<|message|>C~A~C~-",
                "<|channel|>ana~-~-~-",
                "<|channel|>commentary to=functions.f <|constrain|>js~-~-~-",
                "<|channel|>commentary to=functions.f<|message|>{\"s\": \"ab~-~-~{\"s\": \"ab\"}",
                "Just text.~-~Just text.~-",
                "yes~-~yes~-",
                "I went to~-~I went to~-"
            })
    void messagesAreReasoningContentAndCalls(
            String text, String reasoning, String content, String arguments) {
        Answer answer = read(PROMPT, text);

        assertEquals(reasoning == null ? "" : reasoning, answer.reasoning());
        assertEquals(content == null ? "" : content, answer.content());
        List<String> found = answer.calls().stream().map(call -> call.json().toString()).toList();
        assertEquals(
                arguments == null
                        ? List.of()
                        : List.of(Dialects.JSON.readTree(arguments).toString()),
                found);
    }

    @Test
    void longTextWithoutAHeaderIsStreamed() {
        ResponseParser text = SYNTAX.open(BYTES.encode(PROMPT, true), options(List.of())).text();
        StringBuilder shown = new StringBuilder();
        String written = "abc ".repeat(100);
        for (int token : BYTES.encode(written, false)) {
            shown.append(text.push(token).content());
        }
        assertTrue(shown.length() > 100, shown::toString);
        shown.append(text.finish().content());
        assertEquals(written, shown.toString());
    }

    @Test
    void responseContinuesAMessageOfThePrompt() {
        Answer answer = read(PROMPT + "<|channel|>final<|message|>So ", "it is.");

        assertEquals("it is.", answer.content());
        assertFalse(SYNTAX.beginsInReasoning(BYTES.encode(PROMPT, true)));
        assertTrue(
                SYNTAX.beginsInReasoning(
                        BYTES.encode(PROMPT + "<|channel|>analysis<|message|>", true)));
    }

    @Test
    void stopStringsApplyToContentOnly() {
        Answer answer =
                read(
                        PROMPT,
                        "<|channel|>analysis<|message|>A stop B<|end|><|start|>assistant"
                                + "<|channel|>final<|message|>C stop D",
                        "stop");

        assertEquals("A stop B", answer.reasoning());
        assertEquals("C ", answer.content());
        assertEquals(ReasoningFinishReason.NATURAL, answer.text().closeKind());
        assertEquals(8, answer.text().reasoningTokens());
    }

    @Test
    void formBeginsWithReasoningUnlessTheBudgetIsZero() {
        assertArrayEquals(
                BYTES.encode("<|channel|>analysis<|message|>", true),
                constraint(OptionalInt.empty()).forcedTokens(100));
        TokenConstraint direct = constraint(OptionalInt.of(0));
        assertTrue(direct.allows(BYTES.tokenId("<|channel|>").orElseThrow()));
        for (int token : BYTES.encode("<|channel|>", true)) {
            direct.accept(token);
        }
        assertFalse(direct.allows('a'));
        assertTrue(direct.allows('f'));
    }

    private static TokenConstraint constraint(OptionalInt budget) {
        ToolCallRequirement none = new ToolCallRequirement.None();
        ResponseFormat form =
                SYNTAX.form(
                        List.of(),
                        none,
                        Optional.of(new TextGrammarSource.Choice(List.of("yes", "no"))),
                        new GrammarCompiler(BYTES));
        return SYNTAX.open(
                        BYTES.encode(PROMPT, true),
                        new ResponseOptions(List.of(), List.of(), budget, none, form))
                .constraint();
    }

    @Test
    void namedCallBeginsWithItsHeader() {
        ToolCallRequirement named = new ToolCallRequirement.Named("f");
        ResponseFormat form =
                SYNTAX.form(List.of(TOOL), named, Optional.empty(), new GrammarCompiler(BYTES));

        TokenConstraint constraint =
                SYNTAX.open(
                                BYTES.encode(PROMPT, true),
                                new ResponseOptions(
                                        List.of(TOOL), List.of(), OptionalInt.of(0), named, form))
                        .constraint();

        assertEquals(" to=functions.f<|channel|>commentary <|constrain|>json", forced(constraint));
    }

    @ParameterizedTest
    @CsvSource({"final, -1", "final, 0", "analysis, 0"})
    void formBeginsAMessageBehindTheOneThatThePromptLeavesOpen(String channel, int budget) {
        ToolCallRequirement named = new ToolCallRequirement.Named("f");
        ResponseFormat form =
                SYNTAX.form(List.of(TOOL), named, Optional.empty(), new GrammarCompiler(BYTES));

        TokenConstraint constraint =
                SYNTAX.open(
                                BYTES.encode(
                                        PROMPT + "<|channel|>" + channel + "<|message|>A", true),
                                new ResponseOptions(
                                        List.of(TOOL),
                                        List.of(),
                                        budget < 0 ? OptionalInt.empty() : OptionalInt.of(budget),
                                        named,
                                        form))
                        .constraint();

        assertEquals(
                "<|end|><|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json",
                forced(constraint));
    }

    private static String forced(TokenConstraint constraint) {
        StringBuilder forced = new StringBuilder();
        for (OptionalInt next = constraint.forced(); next.isPresent(); next = constraint.forced()) {
            forced.append(BYTES.decode(new int[] {next.getAsInt()}, true));
            constraint.accept(next.getAsInt());
        }
        return forced.toString();
    }

    @Test
    void withoutItsTokensAVocabularyHasNoChannels() {
        Tokenizer plain = TemplateAnswers.HERMES.plain;
        ResponseSyntax syntax = TemplateAnswers.HARMONY.with(plain);

        assertFalse(syntax.hasReasoning() || syntax.hasTools());
        assertEquals(
                "<|channel|>final<|message|>So.",
                Answer.of(
                                syntax.open(new int[0], options(List.of())).text(),
                                plain.encode("<|channel|>final<|message|>So.", true))
                        .content());
    }
}

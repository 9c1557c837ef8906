package dev.varve.platform.chat;

import dev.varve.api.model.ChatDialect;
import dev.varve.platform.grammar.GrammarCompiler;
import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.GrammarSource;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/** How the answers of one model read. Made once per model. Thread-safe. */
public final class AnswerDialect {
    private final Tokenizer tokenizer;
    private final Optional<ReasoningTokens> reasoning;
    private final Optional<CallTokens> calls;
    private final CallRecovery recovery;

    private AnswerDialect(
            Tokenizer tokenizer,
            Optional<ReasoningTokens> reasoning,
            Optional<CallTokens> calls,
            CallRecovery recovery) {
        this.recovery = recovery;
        this.tokenizer = tokenizer;
        this.reasoning = reasoning;
        this.calls = calls;
    }

    /**
     * The dialect of a family with the vocabulary of a model. Reasoning or tools of which a mark is
     * no special token of the vocabulary are switched off.
     */
    public static AnswerDialect of(ChatDialect dialect, Tokenizer tokenizer) {
        return of(dialect, tokenizer, CallRecovery.AUTO);
    }

    /**
     * Likewise.
     *
     * @param recovery whether calls without their open mark are calls
     */
    public static AnswerDialect of(
            ChatDialect dialect, Tokenizer tokenizer, CallRecovery recovery) {
        return new AnswerDialect(
                tokenizer,
                dialect.reasoning().flatMap(marks -> ReasoningTokens.of(marks, tokenizer)),
                dialect.tools().flatMap(syntax -> CallTokens.of(syntax, tokenizer)),
                recovery);
    }

    /** A dialect in which everything is content. */
    public static AnswerDialect plain(Tokenizer tokenizer) {
        return of(ChatDialect.plain(), tokenizer);
    }

    /** Whether the model marks its thoughts. */
    public boolean hasReasoning() {
        return reasoning.isPresent();
    }

    /** Whether the model can call tools. */
    public boolean hasTools() {
        return calls.isPresent();
    }

    /**
     * Whether the answer to a prompt begins inside a thought: the last mark opens one, and at most
     * its label and white space follow.
     */
    public boolean beginsInReasoning(int[] promptTokens) {
        return end(promptTokens) instanceof PromptEnd.InThought;
    }

    /** Begins the answer to a prompt; one session for each answer. */
    public AnswerSession open(int[] promptTokens, AnswerOptions options) {
        PromptEnd start = end(promptTokens);
        AnswerGuide guide =
                new AnswerGuide(
                        tokenizer,
                        reasoning,
                        rule(options.form()),
                        callId(options),
                        beginning(options),
                        start,
                        options.thinkingBudget());
        return new AnswerSession(
                new AnswerText(
                        tokenizer, reasoning, calls, bareBegin(options), start, options, guide),
                guide);
    }

    /**
     * The form of answers in which calls name declared tools, and have arguments that are valid
     * where that can be made sure of.
     *
     * @param forced whether a call must be made
     * @param content what content must be that is no call
     * @throws GrammarException if the content or a strict tool asks for what cannot be enforced;
     *     its path begins with {@code /tools} where it is a tool
     */
    public AnswerForm form(
            List<ToolDeclaration> tools,
            ForcedCall forced,
            Optional<GrammarSource> content,
            GrammarCompiler compiler) {
        if (tools.isEmpty() || calls.isEmpty()) {
            return content.<AnswerForm>map(source -> new AnswerForm.Whole(compiler.compile(source)))
                    .orElseGet(AnswerForm.Free::new);
        }
        if (!CallGrammar.knows(calls.get().syntax())) {
            return unknown(tools, content);
        }
        return switch (forced) {
            case ForcedCall.None() ->
                    content.isPresent()
                            ? whole(tools, tool -> true, content, compiler)
                            : strict(tools, compiler);
            case ForcedCall.Any() -> whole(tools, tool -> true, Optional.empty(), compiler);
            case ForcedCall.Named(String name) ->
                    whole(tools, tool -> tool.name().equals(name), Optional.empty(), compiler);
        };
    }

    private AnswerForm whole(
            List<ToolDeclaration> tools,
            Predicate<ToolDeclaration> callable,
            Optional<GrammarSource> content,
            GrammarCompiler compiler) {
        return new AnswerForm.Whole(
                compiler.compile(
                        new CallGrammar(
                                calls.orElseThrow(),
                                tokenizer,
                                tools,
                                callable,
                                CallGrammar.Extent.ANSWER,
                                content)));
    }

    private AnswerForm strict(List<ToolDeclaration> tools, GrammarCompiler compiler) {
        if (tools.stream().noneMatch(ToolDeclaration::strict)) {
            return new AnswerForm.Free();
        }
        return new AnswerForm.Calls(
                compiler.compile(
                        new CallGrammar(
                                calls.orElseThrow(),
                                tokenizer,
                                tools,
                                tool -> true,
                                CallGrammar.Extent.CALL,
                                Optional.empty())));
    }

    /** Nobody but the family knows how its calls read. */
    private static AnswerForm unknown(
            List<ToolDeclaration> tools, Optional<GrammarSource> content) {
        for (int i = 0; i < tools.size(); i++) {
            if (tools.get(i).strict()) {
                throw new GrammarException(
                        "/tools/" + i + "/function/strict",
                        "arguments cannot be enforced in calls as this model writes them");
            }
        }
        if (content.isPresent()) {
            throw new GrammarException(
                    "/tools", "content of a form cannot be had together with tools of this model");
        }
        return new AnswerForm.Free();
    }

    /** A form holds for calls behind their mark alone. */
    private String bareBegin(AnswerOptions options) {
        boolean isFree = options.form() instanceof AnswerForm.Free;
        return isFree && callId(options).isPresent()
                ? recovery.begin(calls.orElseThrow().syntax())
                : "";
    }

    private OptionalInt callId(AnswerOptions options) {
        return calls.isPresent() && !options.tools().isEmpty()
                ? OptionalInt.of(calls.get().openId())
                : OptionalInt.empty();
    }

    private ContentRule rule(AnswerForm form) {
        return switch (form) {
            case AnswerForm.Free() -> ContentRule.FREE;
            case AnswerForm.Whole(var grammar) ->
                    new WholeRule(grammar.start(), tokenizer.endTokens());
            case AnswerForm.Calls(var grammar) ->
                    new CallsRule(grammar, calls.orElseThrow().openId(), tokenizer.endTokens());
        };
    }

    /** What a demanded call begins with. */
    private int[] beginning(AnswerOptions options) {
        int[] all =
                calls.map(tokens -> tokens.beginning(options.forcedCall(), tokenizer))
                        .orElse(new int[0]);
        // What must follow is made sure of by the grammar: the last token is left to the model,
        // which may have one that goes on with what is next.
        return options.form() instanceof AnswerForm.Whole && all.length > 1
                ? Arrays.copyOf(all, all.length - 1)
                : all;
    }

    private PromptEnd end(int[] prompt) {
        if (reasoning.isEmpty()) {
            return new PromptEnd.Plain();
        }
        ReasoningTokens marks = reasoning.get();
        int last = prompt.length - 1;
        while (last >= 0 && prompt[last] != marks.openId() && prompt[last] != marks.closeId()) {
            last--;
        }
        if (last < 0) {
            return new PromptEnd.Plain();
        }
        String behind = tokenizer.decode(Arrays.copyOfRange(prompt, last + 1, prompt.length), true);
        if (prompt[last] == marks.closeId()) {
            return behind.isBlank() ? new PromptEnd.AfterThought() : new PromptEnd.Plain();
        }
        boolean opens =
                behind.isBlank()
                        || marks.label().startsWith(behind)
                        || behind.strip().equals(marks.label().strip());
        return opens ? new PromptEnd.InThought(behind) : new PromptEnd.Plain();
    }
}

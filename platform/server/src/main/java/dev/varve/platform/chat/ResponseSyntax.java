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
public final class ResponseSyntax {
    private final Tokenizer tokenizer;
    private final Optional<ReasoningDelimiters> reasoning;
    private final Optional<ToolCallTokens> calls;
    private final UnmarkedCallPolicy recovery;

    private ResponseSyntax(
            Tokenizer tokenizer,
            Optional<ReasoningDelimiters> reasoning,
            Optional<ToolCallTokens> calls,
            UnmarkedCallPolicy recovery) {
        this.recovery = recovery;
        this.tokenizer = tokenizer;
        this.reasoning = reasoning;
        this.calls = calls;
    }

    /**
     * The dialect of a family with the vocabulary of a model. Reasoning or tools of which a mark is
     * no special token of the vocabulary are switched off.
     */
    public static ResponseSyntax of(ChatDialect dialect, Tokenizer tokenizer) {
        return of(dialect, tokenizer, UnmarkedCallPolicy.AUTO);
    }

    /**
     * Likewise.
     *
     * @param recovery whether calls without their open mark are calls
     */
    public static ResponseSyntax of(
            ChatDialect dialect, Tokenizer tokenizer, UnmarkedCallPolicy recovery) {
        return new ResponseSyntax(
                tokenizer,
                dialect.reasoning().flatMap(marks -> ReasoningDelimiters.of(marks, tokenizer)),
                dialect.tools().flatMap(syntax -> ToolCallTokens.of(syntax, tokenizer)),
                recovery);
    }

    /** A dialect in which everything is content. */
    public static ResponseSyntax plain(Tokenizer tokenizer) {
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
    public ResponseState open(int[] promptTokens, ResponseOptions options) {
        PromptEnd start = end(promptTokens);
        ResponseGuide guide =
                new ResponseGuide(
                        tokenizer,
                        reasoning,
                        rule(options.form()),
                        callId(options),
                        beginning(options),
                        start,
                        options.thinkingBudget());
        return new ResponseState(
                new ResponseParser(
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
    public ResponseFormat form(
            List<ToolDeclaration> tools,
            ToolCallRequirement forced,
            Optional<GrammarSource> content,
            GrammarCompiler compiler) {
        if (tools.isEmpty() || calls.isEmpty()) {
            return content.<ResponseFormat>map(
                            source -> new ResponseFormat.Whole(compiler.compile(source)))
                    .orElseGet(ResponseFormat.Free::new);
        }
        if (!ToolCallGrammar.knows(calls.get().syntax())) {
            return unknown(tools, content);
        }
        return switch (forced) {
            case ToolCallRequirement.None() ->
                    content.isPresent()
                            ? whole(tools, tool -> true, content, compiler)
                            : strict(tools, compiler);
            case ToolCallRequirement.Any() ->
                    whole(tools, tool -> true, Optional.empty(), compiler);
            case ToolCallRequirement.Named(String name) ->
                    whole(tools, tool -> tool.name().equals(name), Optional.empty(), compiler);
        };
    }

    private ResponseFormat whole(
            List<ToolDeclaration> tools,
            Predicate<ToolDeclaration> callable,
            Optional<GrammarSource> content,
            GrammarCompiler compiler) {
        return new ResponseFormat.Whole(
                compiler.compile(
                        new ToolCallGrammar(
                                calls.orElseThrow(),
                                tokenizer,
                                tools,
                                callable,
                                ToolCallGrammar.Extent.ANSWER,
                                content)));
    }

    private ResponseFormat strict(List<ToolDeclaration> tools, GrammarCompiler compiler) {
        if (tools.stream().noneMatch(ToolDeclaration::strict)) {
            return new ResponseFormat.Free();
        }
        return new ResponseFormat.Calls(
                compiler.compile(
                        new ToolCallGrammar(
                                calls.orElseThrow(),
                                tokenizer,
                                tools,
                                tool -> true,
                                ToolCallGrammar.Extent.CALL,
                                Optional.empty())));
    }

    /** Nobody but the family knows how its calls read. */
    private static ResponseFormat unknown(
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
        return new ResponseFormat.Free();
    }

    /** A form holds for calls behind their mark alone. */
    private String bareBegin(ResponseOptions options) {
        boolean isFree = options.form() instanceof ResponseFormat.Free;
        return isFree && callId(options).isPresent()
                ? recovery.begin(calls.orElseThrow().syntax())
                : "";
    }

    private OptionalInt callId(ResponseOptions options) {
        return calls.isPresent() && !options.tools().isEmpty()
                ? OptionalInt.of(calls.get().openId())
                : OptionalInt.empty();
    }

    private ContentConstraint rule(ResponseFormat form) {
        return switch (form) {
            case ResponseFormat.Free() -> ContentConstraint.FREE;
            case ResponseFormat.Whole(var grammar) ->
                    new GrammarConstraint(grammar.start(), tokenizer.endTokens());
            case ResponseFormat.Calls(var grammar) ->
                    new ToolCallConstraint(
                            grammar, calls.orElseThrow().openId(), tokenizer.endTokens());
        };
    }

    /** What a demanded call begins with. */
    private int[] beginning(ResponseOptions options) {
        int[] all =
                calls.map(tokens -> tokens.beginning(options.forcedCall(), tokenizer))
                        .orElse(new int[0]);
        // What must follow is made sure of by the grammar: the last token is left to the model,
        // which may have one that goes on with what is next.
        return options.form() instanceof ResponseFormat.Whole && all.length > 1
                ? Arrays.copyOf(all, all.length - 1)
                : all;
    }

    private PromptEnd end(int[] prompt) {
        if (reasoning.isEmpty()) {
            return new PromptEnd.Plain();
        }
        ReasoningDelimiters marks = reasoning.get();
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

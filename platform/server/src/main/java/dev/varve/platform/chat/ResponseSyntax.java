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

/** Syntax of one model's responses. Created once per model. Thread-safe. */
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
     * Combines the syntax of a family with the vocabulary of a model. Reasoning or tools are
     * disabled if one of their marks is no special token of the vocabulary.
     */
    public static ResponseSyntax of(ChatDialect dialect, Tokenizer tokenizer) {
        return of(dialect, tokenizer, UnmarkedCallPolicy.AUTO);
    }

    /**
     * Combines a family's syntax with a vocabulary, with a policy for calls without their open
     * mark.
     *
     * @param recovery whether calls without their open mark are accepted
     */
    public static ResponseSyntax of(
            ChatDialect dialect, Tokenizer tokenizer, UnmarkedCallPolicy recovery) {
        return new ResponseSyntax(
                tokenizer,
                dialect.reasoning().flatMap(marks -> ReasoningDelimiters.of(marks, tokenizer)),
                dialect.tools().flatMap(syntax -> ToolCallTokens.of(syntax, tokenizer)),
                recovery);
    }

    /** Returns a syntax in which all text is content. */
    public static ResponseSyntax plain(Tokenizer tokenizer) {
        return of(ChatDialect.plain(), tokenizer);
    }

    /** Whether the model marks its reasoning. */
    public boolean hasReasoning() {
        return reasoning.isPresent();
    }

    /** Whether the model can call tools. */
    public boolean hasTools() {
        return calls.isPresent();
    }

    /**
     * Whether the response to a prompt begins inside reasoning: the last mark opens it, and at most
     * its label and white space follow.
     */
    public boolean beginsInReasoning(int[] promptTokens) {
        return end(promptTokens) instanceof PromptEnd.InReasoning;
    }

    /** Begins the response to a prompt; each response needs its own state. */
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
     * Returns the form of responses whose calls name declared tools, and have valid arguments where
     * that can be enforced.
     *
     * @param forced whether a call is required
     * @param content required form of content that is no call
     * @throws GrammarException if the content or a strict tool requires a schema that cannot be
     *     enforced; its path begins with {@code /tools} for a tool
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
            case ToolCallRequirement.Restricted() ->
                    content.isPresent()
                            ? whole(tools, tool -> true, content, compiler)
                            : withinCalls(tools, compiler);
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
        return tools.stream().noneMatch(ToolDeclaration::strict)
                ? new ResponseFormat.Free()
                : withinCalls(tools, compiler);
    }

    private ResponseFormat withinCalls(List<ToolDeclaration> tools, GrammarCompiler compiler) {
        return new ResponseFormat.WithinToolCalls(
                compiler.compile(
                        new ToolCallGrammar(
                                calls.orElseThrow(),
                                tokenizer,
                                tools,
                                tool -> true,
                                ToolCallGrammar.Extent.CALL,
                                Optional.empty())));
    }

    /** Returns the form for a syntax that only the family can parse. */
    private static ResponseFormat unknown(
            List<ToolDeclaration> tools, Optional<GrammarSource> content) {
        for (int i = 0; i < tools.size(); i++) {
            if (tools.get(i).strict()) {
                throw new GrammarException(
                        "/tools/" + i + "/function/strict",
                        "the tool-call syntax of this model cannot enforce a schema");
            }
        }
        if (content.isPresent()) {
            throw new GrammarException(
                    "/tools",
                    "the tool-call syntax of this model cannot be combined with a response format");
        }
        return new ResponseFormat.Free();
    }

    /**
     * Returns the text with which a call without its open mark begins; empty if a form is required,
     * since a form applies only to calls after their mark.
     */
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
            case ResponseFormat.WithinToolCalls(var grammar) ->
                    new ToolCallConstraint(
                            grammar, calls.orElseThrow().openId(), tokenizer.endTokens());
        };
    }

    /** Returns the tokens with which a required call begins. */
    private int[] beginning(ResponseOptions options) {
        int[] all =
                calls.map(tokens -> tokens.beginning(options.forcedCall(), tokenizer))
                        .orElse(new int[0]);
        // The grammar enforces the rest: the last token is left to the model, which may choose one
        // that includes the text that follows.
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
            return behind.isBlank() ? new PromptEnd.AfterReasoning() : new PromptEnd.Plain();
        }
        boolean opens =
                behind.isBlank()
                        || marks.label().startsWith(behind)
                        || behind.strip().equals(marks.label().strip());
        return opens ? new PromptEnd.InReasoning(behind) : new PromptEnd.Plain();
    }
}

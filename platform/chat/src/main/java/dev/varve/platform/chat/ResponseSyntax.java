package dev.varve.platform.chat;

import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.ToolSyntax;
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
    /** Most tokens at the end of a prompt in which marks in plain text are looked for. */
    private static final int PROMPT_END = 32;

    private final Tokenizer tokenizer;
    private final MarkTable table;
    private final Optional<ReasoningDelimiters> reasoning;
    private final Optional<ToolCallTokens> calls;
    private final UnmarkedCallPolicy recovery;

    /** Tokens of channels, if responses consist of messages. */
    private final Optional<ChannelTokens> channels;

    private ResponseSyntax(
            MarkTable table,
            Optional<ReasoningDelimiters> reasoning,
            Optional<ToolCallTokens> calls,
            UnmarkedCallPolicy recovery,
            Optional<ChannelTokens> channels) {
        this.channels = channels;
        this.recovery = recovery;
        this.table = table;
        tokenizer = table.tokenizer();
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
        return of(dialect, new MarkTable(tokenizer, false), recovery);
    }

    /**
     * Combines the dialect of a template with a vocabulary: marks that are no special tokens are
     * plain text.
     */
    private static ResponseSyntax of(
            ChatDialect dialect, MarkTable table, UnmarkedCallPolicy recovery) {
        return new ResponseSyntax(
                table,
                dialect.reasoning().flatMap(marks -> ReasoningDelimiters.of(marks, table)),
                dialect.tools().flatMap(syntax -> ToolCallTokens.of(syntax, table)),
                recovery,
                Optional.empty());
    }

    /**
     * Returns the syntax of a model: that of its family, or of its template if the family leaves
     * the choice to the template.
     *
     * @param chat the template; without one, all text of such a family is content
     * @param recovery whether calls without their open mark are accepted
     */
    public static ResponseSyntax of(
            ChatDialect family,
            Optional<TemplateDialect> chat,
            Tokenizer tokenizer,
            UnmarkedCallPolicy recovery) {
        if (!family.isByTemplate() || chat.isEmpty()) {
            return of(family, tokenizer, recovery);
        }
        Optional<ChannelTokens> channels =
                Optional.of(tokenizer)
                        .filter(vocabulary -> chat.get().hasChannels())
                        .flatMap(ChannelTokens::of);
        MarkTable table = new MarkTable(tokenizer, true);
        return channels.isEmpty()
                ? of(chat.get().marks(), table, recovery)
                : new ResponseSyntax(
                        table,
                        Optional.empty(),
                        ToolCallTokens.of(ChannelTokens.CALLS, table),
                        recovery,
                        channels);
    }

    /** Returns a syntax in which all text is content. */
    public static ResponseSyntax plain(Tokenizer tokenizer) {
        return of(ChatDialect.plain(), tokenizer);
    }

    /** Whether the model marks its reasoning. */
    public boolean hasReasoning() {
        return reasoning.isPresent() || channels.isPresent();
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
        return channels.isPresent()
                ? new ChannelReader(channels.get(), promptTokens).isInReasoning()
                : end(promptTokens) instanceof PromptEnd.InReasoning;
    }

    /** Begins the response to a prompt; each response needs its own state. */
    public ResponseState open(int[] promptTokens, ResponseOptions options) {
        if (channels.isPresent()) {
            return open(channels.get(), promptTokens, options);
        }
        PromptEnd start = end(promptTokens);
        ResponseGuide guide =
                new ResponseGuide(
                        table,
                        reasoning,
                        rule(options.form()),
                        callId(options),
                        beginning(options),
                        start,
                        options.thinkingBudget());
        return new ResponseState(
                new MarkedResponseParser(
                        table, reasoning, calls, bareBegin(options), start, options, guide),
                guide);
    }

    private ResponseState open(ChannelTokens tokens, int[] promptTokens, ResponseOptions options) {
        ChannelGuide guide =
                new ChannelGuide(
                        tokens,
                        promptTokens,
                        options.form(),
                        beginning(options),
                        tool ->
                                calls.orElseThrow()
                                        .beginning(new ToolCallRequirement.Named(tool), tokenizer),
                        options.thinkingBudget());
        return new ResponseState(
                new ChannelResponseParser(tokens, promptTokens, options, guide), guide);
    }

    /**
     * Returns the form of responses whose calls name declared tools, and have valid arguments where
     * that can be enforced.
     *
     * @param forced whether a call is required
     * @param text required form of content that is no call
     * @throws GrammarException if the content or a strict tool requires a schema that cannot be
     *     enforced; its path begins with {@code /tools} for a tool
     */
    public ResponseFormat form(
            List<ToolDeclaration> tools,
            ToolCallRequirement forced,
            Optional<GrammarSource> text,
            GrammarCompiler compiler) {
        Optional<GrammarSource> content =
                channels.isPresent()
                        ? text.map(source -> new ChannelContentGrammar(source, tokenizer))
                        : text;
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
        if (callId(options).isEmpty()) {
            return "";
        }
        ToolSyntax syntax = calls.orElseThrow().syntax();
        boolean isFree = options.form() instanceof ResponseFormat.Free;
        boolean isUsual = syntax.isWholeResponse();
        if (isUsual && !isFree) {
            return syntax.bareBegin();
        }
        return isFree ? recovery.begin(syntax) : "";
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
                    new ToolCallConstraint(grammar, opening(calls.orElseThrow()), tokenizer);
        };
    }

    private CallOpening opening(ToolCallTokens tokens) {
        if (tokens.syntax().isWholeResponse()) {
            return new CallOpening.ByBegin(tokenizer, tokens.syntax().bareBegin());
        }
        return table.isText(tokens.openId())
                ? new CallOpening.ByText(tokens.openId(), table.reader().orElseThrow())
                : new CallOpening.BySpecial(tokens.openId());
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
        if (table.isText(marks.openId()) || table.isText(marks.closeId())) {
            return textEnd(marks, prompt);
        }
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

    private PromptEnd textEnd(ReasoningDelimiters marks, int[] prompt) {
        int from = Math.max(0, prompt.length - PROMPT_END);
        String end =
                tokenizer
                        .decode(Arrays.copyOfRange(prompt, from, prompt.length), true)
                        .stripTrailing();
        if (end.endsWith(table.spelling(marks.openId()))) {
            return new PromptEnd.InReasoning("");
        }
        return end.endsWith(table.spelling(marks.closeId()))
                ? new PromptEnd.AfterReasoning()
                : new PromptEnd.Plain();
    }
}

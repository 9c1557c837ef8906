package dev.varve.platform.chat;

import dev.varve.api.model.ToolCallParser;
import dev.varve.api.model.ToolSyntax;
import dev.varve.platform.tokenizer.TextSpan;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Special tokens of tool calls. They are matched by id, so that text cannot imitate them.
 *
 * @param openId id of the mark that begins a call
 * @param closeId id of the mark that ends it
 * @param innerIds ids of the marks that have a meaning inside of a call
 * @param syntax syntax of the text between the marks
 */
record ToolCallTokens(int openId, int closeId, Set<Integer> innerIds, ToolSyntax syntax) {
    /** Returns the marks, if the vocabulary has a special token for each. */
    static Optional<ToolCallTokens> of(ToolSyntax syntax, Tokenizer tokenizer) {
        OptionalInt open = special(tokenizer, syntax.open());
        OptionalInt close = special(tokenizer, syntax.close());
        List<OptionalInt> inner =
                syntax.innerMarks().stream().map(text -> special(tokenizer, text)).toList();
        if (open.isEmpty() || close.isEmpty() || !inner.stream().allMatch(OptionalInt::isPresent)) {
            return Optional.empty();
        }
        Set<Integer> innerIds =
                inner.stream().map(OptionalInt::getAsInt).collect(Collectors.toUnmodifiableSet());
        return Optional.of(new ToolCallTokens(open.getAsInt(), close.getAsInt(), innerIds, syntax));
    }

    static OptionalInt special(Tokenizer tokenizer, String text) {
        OptionalInt id = tokenizer.tokenId(text);
        return id.isPresent() && tokenizer.isSpecial(id.getAsInt()) ? id : OptionalInt.empty();
    }

    boolean isMark(int token) {
        return token == openId || token == closeId || innerIds.contains(token);
    }

    ToolCallParser parser(List<ToolDeclaration> tools, BufferedToolCallOutput output) {
        return switch (syntax) {
            case ToolSyntax.Tagged tagged ->
                    sequence(() -> new TaggedCallParser(tagged, tools, output), tools, output);
            case ToolSyntax.Braced braced ->
                    sequence(() -> new BracedCallParser(braced, tools, output), tools, output);
            case ToolSyntax.Json json ->
                    sequence(() -> new JsonCallParser(tools, output), tools, output);
            case ToolSyntax.Custom custom -> new ValidatingCallParser(custom, tools, output);
        };
    }

    private static ToolCallParser sequence(
            Supplier<ToolCallParser> syntax,
            List<ToolDeclaration> tools,
            BufferedToolCallOutput output) {
        return new CallSequenceParser(syntax, () -> new JsonCallParser(tools, output), output);
    }

    /** Returns the tokens with which a required call begins; empty if none is required. */
    int[] beginning(ToolCallRequirement call, Tokenizer tokenizer) {
        TextSpan begin = new TextSpan(syntax.open() + syntax.beforeName(), true);
        return switch (call) {
            case ToolCallRequirement.None(), ToolCallRequirement.Restricted() -> new int[0];
            case ToolCallRequirement.Any() -> tokenizer.encodeSpans(List.of(begin));
            // The client chose the name: it must not become a special token.
            case ToolCallRequirement.Named(String name) ->
                    tokenizer.encodeSpans(
                            List.of(
                                    begin,
                                    new TextSpan(syntax.spelled(name), false),
                                    new TextSpan(syntax.afterName(), true)));
        };
    }
}

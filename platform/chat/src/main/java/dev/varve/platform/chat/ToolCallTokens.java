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
 * Marks of tool calls. Those that are special tokens are matched by id, so that text cannot imitate
 * them.
 *
 * @param openId id of the mark that begins a call
 * @param closeId id of the mark that ends it; {@link MarkTable#NONE} if there is none
 * @param innerIds ids of the marks that have a meaning inside of a call
 * @param syntax syntax of the text between the marks
 * @param table spellings of the marks
 */
record ToolCallTokens(
        int openId, int closeId, Set<Integer> innerIds, ToolSyntax syntax, MarkTable table) {
    /** Calls as JSON objects, which are accepted in every syntax. */
    private static final ToolSyntax.Json JSON = new ToolSyntax.Json("", "");

    /** Returns the marks; empty if one is missing from the vocabulary. */
    static Optional<ToolCallTokens> of(ToolSyntax syntax, MarkTable table) {
        OptionalInt open = table.id(syntax.open());
        OptionalInt close = table.id(syntax.close());
        List<OptionalInt> inner = syntax.innerMarks().stream().map(table::id).toList();
        if (open.isEmpty() || close.isEmpty() || !inner.stream().allMatch(OptionalInt::isPresent)) {
            return Optional.empty();
        }
        Set<Integer> innerIds =
                inner.stream().map(OptionalInt::getAsInt).collect(Collectors.toUnmodifiableSet());
        return Optional.of(
                new ToolCallTokens(open.getAsInt(), close.getAsInt(), innerIds, syntax, table));
    }

    /** Whether a token is part of the markup, so that it is shown where it is no call. */
    boolean isShown(int token) {
        return isMark(token)
                || syntax instanceof ToolSyntax.Named named
                        && ToolCallSymbols.tags(
                                        named.call().begin()
                                                + named.idMark()
                                                + named.separator()
                                                + named.call().end())
                                .contains(table.spelling(token));
    }

    /** Whether the arguments are a JSON object. */
    boolean isJson() {
        return syntax instanceof ToolSyntax.Json || syntax instanceof ToolSyntax.Named;
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
                    sequence(() -> new JsonCallParser(json, tools, output), tools, output);
            case ToolSyntax.Named named ->
                    sequence(() -> new NamedCallParser(named, tools, output), tools, output);
            case ToolSyntax.Custom custom -> new ValidatingCallParser(custom, tools, output);
        };
    }

    private ToolCallParser sequence(
            Supplier<ToolCallParser> parser,
            List<ToolDeclaration> tools,
            BufferedToolCallOutput output) {
        Supplier<ToolCallParser> json =
                syntax instanceof ToolSyntax.Json
                        ? parser
                        : () -> new JsonCallParser(JSON, tools, output);
        boolean isArray =
                syntax instanceof ToolSyntax.Json frame && frame.frame() == ToolSyntax.Frame.ARRAY;
        return new CallSequenceParser(parser, json, isArray, output);
    }

    /** Returns the tokens with which a required call begins; empty if none is required. */
    int[] beginning(ToolCallRequirement call, Tokenizer tokenizer) {
        String open = syntax.isWholeResponse() ? "" : syntax.open();
        TextSpan begin = new TextSpan(open + syntax.beforeName(), true);
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

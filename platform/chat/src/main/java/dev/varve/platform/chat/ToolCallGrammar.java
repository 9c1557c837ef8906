package dev.varve.platform.chat;

import dev.varve.api.model.ToolSyntax;
import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.GrammarSource;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Grammar of calls in a family's syntax, with the names of declared tools and arguments that their
 * schemas allow. The marks are special tokens of it. If a schema cannot be enforced, a strict tool
 * is rejected; the arguments of another tool are then free.
 *
 * <p>Calls look as chat templates render them: properties come in the order of the schema, or
 * sorted if templates sort them. Undeclared properties are allowed only if none are declared.
 */
final class ToolCallGrammar implements GrammarSource {
    /** Extent of the grammar. */
    enum Extent {
        /** The whole response: one call or several. */
        ANSWER,
        /** One call after its open mark, up to its close mark. */
        CALL
    }

    private final ToolCallTokens marks;
    private final Tokenizer tokenizer;
    private final List<ToolDeclaration> tools;
    private final Predicate<ToolDeclaration> callable;
    private final Extent extent;
    private final Optional<GrammarSource> otherwise;

    /**
     * @param tools all declared tools, whose positions messages name
     * @param callable tools that may be called
     * @param otherwise alternative to calls in a response
     */
    ToolCallGrammar(
            ToolCallTokens marks,
            Tokenizer tokenizer,
            List<ToolDeclaration> tools,
            Predicate<ToolDeclaration> callable,
            Extent extent,
            Optional<GrammarSource> otherwise) {
        this.marks = marks;
        this.tokenizer = tokenizer;
        this.tools = tools;
        this.callable = callable;
        this.extent = extent;
        this.otherwise = otherwise;
    }

    /** Whether calls of a syntax can be enforced. */
    static boolean knows(ToolSyntax syntax) {
        return switch (syntax) {
            case ToolSyntax.Json json -> true;
            case ToolSyntax.Tagged tagged -> true;
            case ToolSyntax.Braced braced -> true;
            case ToolSyntax.Named named -> true;
            case ToolSyntax.Custom custom -> false;
        };
    }

    @Override
    public String key() {
        StringBuilder key = new StringBuilder("calls ").append(extent).append(marks.syntax());
        for (ToolDeclaration tool : tools) {
            if (callable.test(tool)) {
                key.append('\n').append(tool.name()).append(' ').append(tool.strict()).append(' ');
                key.append(tool.parameters());
            }
        }
        otherwise.ifPresent(source -> key.append("\nor ").append(source.key()));
        return key.toString();
    }

    @Override
    public int build(GrammarBuilder builder) {
        ToolCallSymbols markup = new ToolCallSymbols(builder, tokenizer);
        ToolSyntax syntax = marks.syntax();
        int named = named(markup);
        int call = builder.sequence("call", markup.marked(syntax.beforeName()), named);
        int rest = rest(named, markup);
        if (extent == Extent.CALL) {
            return builder.sequence("call", call, rest);
        }
        boolean isOnly = syntax.isWholeResponse() || syntax.open().isEmpty();
        int open = markup.tag(isOnly ? "" : syntax.open());
        int whole = builder.sequence("call", open, call, rest);
        if (isOnly) {
            return orOther(whole, builder);
        }
        int further = builder.sequence("further call", markup.optionalText("\n"), whole);
        int all =
                builder.sequence("calls", whole, builder.star(further), markup.optionalText("\n"));
        return orOther(all, builder);
    }

    private int orOther(int calls, GrammarBuilder builder) {
        return otherwise.isEmpty()
                ? calls
                : builder.choice("answer", List.of(calls, otherwise.get().build(builder)));
    }

    /** Returns the symbol of the name and the arguments of a tool. */
    private int named(ToolCallSymbols markup) {
        List<Integer> calls = new ArrayList<>();
        for (int i = 0; i < tools.size(); i++) {
            ToolDeclaration tool = tools.get(i);
            if (callable.test(tool)) {
                calls.add(
                        markup.builder()
                                .sequence(
                                        "call of " + tool.name(),
                                        markup.text(marks.syntax().spelled(tool.name())),
                                        arguments(tool, i, markup)));
            }
        }
        return markup.builder().choice("named", calls);
    }

    /** Returns the symbol of what follows a call: others between the same marks, and the end. */
    private int rest(int named, ToolCallSymbols markup) {
        ToolSyntax syntax = marks.syntax();
        GrammarBuilder builder = markup.builder();
        int close = markup.tag(syntax.close());
        if (syntax.between().isEmpty()) {
            return close;
        }
        int further = builder.sequence("next call", markup.marked(syntax.between().get()), named);
        boolean isArray =
                syntax instanceof ToolSyntax.Json json && json.frame() == ToolSyntax.Frame.ARRAY;
        return builder.sequence(
                "end of calls", builder.star(further), markup.text(isArray ? "]" : ""), close);
    }

    /** Returns the symbol of the text between a tool's name and the close mark. */
    private int arguments(ToolDeclaration tool, int number, ToolCallSymbols markup) {
        ArgumentsGrammar arguments =
                switch (marks.syntax()) {
                    case ToolSyntax.Json json -> JsonArgumentsGrammar.of(json, markup);
                    case ToolSyntax.Named named -> JsonArgumentsGrammar.of(named, markup);
                    case ToolSyntax.Tagged tagged -> new TaggedArgumentsGrammar(tagged, markup);
                    case ToolSyntax.Braced braced -> new BracedArgumentsGrammar(braced, markup);
                    case ToolSyntax.Custom custom ->
                            throw new IllegalArgumentException(
                                    "expected a tool-call syntax with a grammar, found " + custom);
                };
        try {
            return arguments.of(tool.parameters());
        } catch (GrammarException e) {
            if (tool.strict()) {
                throw new GrammarException(
                        "/tools/" + number + "/function/parameters" + e.path(), e.getMessage());
            }
            return arguments.any();
        }
    }
}

package dev.varve.platform.chat;

import dev.varve.api.model.ToolSyntax;
import dev.varve.platform.grammar.regex.RegexStore;
import dev.varve.platform.grammar.schema.SchemaCompiler;
import dev.varve.platform.grammar.schema.SchemaOptions;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

import java.util.List;
import java.util.stream.IntStream;

/** Grammar of arguments that are a JSON object. */
final class JsonArgumentsGrammar implements ArgumentsGrammar {
    private final int before;
    private final int behind;
    private final ToolCallSymbols markup;

    /**
     * @param before symbol of the text between the name and the object
     * @param behind symbol of the text between the object and the end of the call
     */
    JsonArgumentsGrammar(int before, int behind, ToolCallSymbols markup) {
        this.before = before;
        this.behind = behind;
        this.markup = markup;
    }

    static JsonArgumentsGrammar of(ToolSyntax.Json syntax, ToolCallSymbols markup) {
        boolean isOnLine = syntax.frame() == ToolSyntax.Frame.MARKS;
        return new JsonArgumentsGrammar(
                markup.text(syntax.afterName()), markup.text(isOnLine ? "}\n" : "}"), markup);
    }

    static JsonArgumentsGrammar of(ToolSyntax.Named syntax, ToolCallSymbols markup) {
        int separator = markup.marked(syntax.separator());
        int before =
                syntax.idMark().isEmpty()
                        ? separator
                        : markup.builder()
                                .sequence("id", markup.tag(syntax.idMark()), id(markup), separator);
        return new JsonArgumentsGrammar(before, markup.marked(syntax.call().end()), markup);
    }

    /** Returns the symbol of an id: nine letters and digits. */
    private static int id(ToolCallSymbols markup) {
        RegexStore store = markup.store();
        List<String> characters =
                IntStream.rangeClosed('0', 'z')
                        .filter(Character::isLetterOrDigit)
                        .mapToObj(Character::toString)
                        .toList();
        return markup.builder().terminal(store.repeat(store.oneOf(characters), 9, 9));
    }

    @Override
    public int of(JsonNode parameters) {
        boolean isObject = parameters.path("type").asString("").equals("object");
        return around(
                isObject
                        ? new SchemaCompiler(markup.builder(), SchemaOptions.DEFAULT)
                                .compile(parameters)
                        : SubschemaGrammar.json(
                                markup.builder(), parameters, parameters, "", "object"));
    }

    @Override
    public int any() {
        JsonNode anything = JsonNodeFactory.instance.objectNode();
        return around(SubschemaGrammar.json(markup.builder(), anything, anything, "", "object"));
    }

    private int around(int object) {
        return markup.builder().sequence("arguments", before, object, behind);
    }
}

package dev.varve.platform.chat;

import dev.varve.api.model.ToolSyntax;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.schema.SchemaCompiler;
import dev.varve.platform.grammar.schema.SchemaOptions;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Grammar of the arguments of {@link ToolSyntax.Json} calls: a JSON object. */
final class JsonArgumentsGrammar implements ArgumentsGrammar {
    private final ToolSyntax.Json syntax;
    private final ToolCallSymbols markup;

    JsonArgumentsGrammar(ToolSyntax.Json syntax, ToolCallSymbols markup) {
        this.syntax = syntax;
        this.markup = markup;
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
        GrammarBuilder builder = markup.builder();
        return builder.sequence(
                "arguments", markup.text(syntax.afterName()), object, markup.text("}\n"));
    }
}

package dev.varve.platform.chat;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.schema.SchemaCompiler;
import dev.varve.platform.grammar.schema.SchemaOptions;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** Handles parts of a tool's schema separately. */
final class SubschemaGrammar {
    /** Keywords that restrict nothing. */
    static final List<String> ANNOTATIONS =
            List.of(
                    "title",
                    "description",
                    "default",
                    "example",
                    "examples",
                    "deprecated",
                    "readOnly",
                    "writeOnly",
                    "nullable",
                    "$comment",
                    "$schema",
                    "$id",
                    "id",
                    "$defs",
                    "definitions",
                    "strict");

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String WRAPPED = "/allOf/0";
    private static final int MOST_HOPS = 8;

    /** Keys under which schemas keep definitions for references. */
    private static final List<String> DEFINITIONS = List.of("$defs", "definitions");

    private SubschemaGrammar() {}

    /**
     * Returns the symbol of JSON text for those values of a part that have one of some types.
     *
     * @param root schema that contains the referenced definitions
     * @param path path of the part, for messages
     * @throws GrammarException if they cannot be enforced
     */
    static int json(
            GrammarBuilder builder, JsonNode root, JsonNode part, String path, String... types) {
        ObjectNode schema = NODES.objectNode();
        for (String name : DEFINITIONS) {
            if (root.has(name)) {
                schema.set(name, root.get(name));
            }
        }
        ArrayNode all = schema.putArray("allOf");
        all.add(part.isMissingNode() ? NODES.booleanNode(true) : part);
        ArrayNode list = all.addObject().putArray("type");
        for (String type : types) {
            list.add(type);
        }
        try {
            return new SchemaCompiler(builder, SchemaOptions.DEFAULT).compile(schema);
        } catch (GrammarException e) {
            String inner =
                    e.path().startsWith(WRAPPED) ? e.path().substring(WRAPPED.length()) : e.path();
            throw new GrammarException(path + inner, e.getMessage());
        }
    }

    /**
     * Resolves a part that is only a reference.
     *
     * @throws GrammarException if the target is not in the same schema
     */
    static JsonNode resolved(JsonNode root, JsonNode part, String path) {
        JsonNode at = part;
        for (int hop = 0; hop < MOST_HOPS && at.path("$ref").isString(); hop++) {
            requireOnly(at, List.of("$ref"), path);
            String reference = at.get("$ref").stringValue();
            JsonNode next =
                    reference.startsWith("#/") ? root.at(reference.substring(1)) : at.path("");
            if (next.isMissingNode()) {
                throw new GrammarException(
                        path + "/$ref",
                        "expected a reference into the same schema, found another target");
            }
            at = next;
        }
        return at;
    }

    /**
     * Checks that a part has no other keywords.
     *
     * @throws GrammarException that names another keyword
     */
    static void requireOnly(JsonNode part, List<String> keywords, String path) {
        for (String keyword : part.propertyNames()) {
            if (!keywords.contains(keyword) && !ANNOTATIONS.contains(keyword)) {
                throw new GrammarException(
                        path + "/" + keyword,
                        "the tool-call syntax of this model cannot enforce this keyword");
            }
        }
    }
}

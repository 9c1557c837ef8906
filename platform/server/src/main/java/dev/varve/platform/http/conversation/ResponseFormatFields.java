package dev.varve.platform.http.conversation;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.GrammarSource;
import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The required format of the content of a response: {@code response_format} of OpenAI, {@code
 * guided_json} and similar fields and {@code structured_outputs} of vLLM, {@code grammar} and
 * {@code json_schema} of llama.cpp. A request has at most one of them.
 *
 * @param source the required format; empty for any content
 * @param field name of the field
 */
public record ResponseFormatFields(Optional<GrammarSource> source, String field) {
    private static final int MAX_CHOICES = 1000;
    private static final int MAX_TEXT = 1 << 18;
    private static final String SCHEMA = "schema";

    /** No required format. */
    public static final ResponseFormatFields NONE = new ResponseFormatFields(Optional.empty(), "");

    /** Reads the fields. */
    public static ResponseFormatFields read(RequestFields fields) {
        return single(fields, all(fields));
    }

    /** Reads the fields of a request that may also have OpenAI's {@code text.format}. */
    public static ResponseFormatFields readText(RequestFields fields) {
        List<ResponseFormatFields> found = new ArrayList<>();
        fields.nested("text")
                .flatMap(text -> text.nested("format"))
                .flatMap(format -> format("text.format", format, ResponseFormatFields::textSchema))
                .ifPresent(found::add);
        found.addAll(all(fields));
        return single(fields, found);
    }

    private static List<ResponseFormatFields> all(RequestFields fields) {
        List<ResponseFormatFields> found = new ArrayList<>();
        fields.nested("response_format")
                .flatMap(each -> format("response_format", each, ResponseFormatFields::chatSchema))
                .ifPresent(found::add);
        addConstraints("guided_", fields, found);
        fields.nested("structured_outputs").ifPresent(each -> addStructured(each, found));
        fields.text("grammar")
                .filter(each -> !each.isEmpty())
                .map(each -> rules("grammar", each))
                .ifPresent(found::add);
        fields.find("json_schema").map(schema -> json("json_schema", schema)).ifPresent(found::add);
        return found;
    }

    private static ResponseFormatFields single(
            RequestFields fields, List<ResponseFormatFields> found) {
        if (found.size() > 1) {
            throw ApiException.invalid(
                    found.get(1).field(),
                    "expected one of "
                            + found.get(0).field()
                            + " and "
                            + found.get(1).field()
                            + ", found both");
        }
        if (found.isEmpty()) {
            return NONE;
        }
        if (fields.flag("ignore_eos").orElse(false)) {
            throw ApiException.invalid(
                    "ignore_eos",
                    "ignore_eos: expected false with " + found.getFirst().field() + ", found true");
        }
        return found.getFirst();
    }

    /** Adds the constraints whose fields have a common prefix. */
    private static void addConstraints(
            String prefix, RequestFields fields, List<ResponseFormatFields> found) {
        String json = prefix + "json";
        String regex = prefix + "regex";
        String grammar = prefix + "grammar";
        fields.find(json).map(each -> json(fields.place(json), each)).ifPresent(found::add);
        fields.text(regex).map(each -> pattern(fields.place(regex), each)).ifPresent(found::add);
        choice(fields, prefix + "choice").ifPresent(found::add);
        fields.text(grammar).map(each -> rules(fields.place(grammar), each)).ifPresent(found::add);
    }

    /**
     * Reads a format by its type.
     *
     * @param schema reads a format of type {@code json_schema}
     */
    private static Optional<ResponseFormatFields> format(
            String field,
            RequestFields format,
            Function<RequestFields, ResponseFormatFields> schema) {
        return switch (format.text("type").orElse("")) {
            case "text" -> Optional.empty();
            case "json_object" -> Optional.of(object(field, format));
            case "json_schema" -> Optional.of(schema.apply(format));
            default ->
                    throw ApiException.invalid(
                            field + ".type",
                            field + ".type: expected text, json_object or json_schema");
        };
    }

    private static ResponseFormatFields chatSchema(RequestFields format) {
        String where = "response_format.json_schema";
        Optional<RequestFields> wrapped = format.nested("json_schema");
        if (wrapped.isEmpty() && format.find(SCHEMA).isPresent()) {
            return object("response_format", format);
        }
        JsonNode schema =
                wrapped.orElseThrow(() -> ApiException.invalid(where, where + ": missing"))
                        .require(SCHEMA);
        return json(where + ".schema", schema);
    }

    private static ResponseFormatFields textSchema(RequestFields format) {
        format.require("name");
        return json("text.format.schema", format.require(SCHEMA));
    }

    /** Reads {@code json_object}: any object, or one of the adjacent schema, as in llama.cpp. */
    private static ResponseFormatFields object(String field, RequestFields format) {
        return format.find(SCHEMA)
                .map(schema -> json(field + ".schema", schema))
                .orElseGet(() -> of(TextGrammarSource.anyObject(), field));
    }

    private static void addStructured(RequestFields fields, List<ResponseFormatFields> found) {
        addConstraints("", fields, found);
        if (fields.flag("json_object").orElse(false)) {
            found.add(of(TextGrammarSource.anyObject(), fields.place("json_object")));
        }
        if (fields.find("structural_tag").isPresent()) {
            String field = fields.place("structural_tag");
            throw ApiException.invalid(field, field + ": is not supported");
        }
    }

    /** Returns the format with a grammar. */
    public static ResponseFormatFields of(GrammarSource source, String field) {
        return new ResponseFormatFields(Optional.of(source), field);
    }

    /**
     * Returns the format of JSON with a schema.
     *
     * @param field name of the field with the schema
     */
    public static ResponseFormatFields ofSchema(String field, JsonNode schema) {
        return json(field, schema);
    }

    /** Reads a schema, or a string with a schema as some clients send it. */
    private static ResponseFormatFields json(String field, JsonNode given) {
        JsonNode schema = given;
        if (given.isString()) {
            schema = parsed(field, given.stringValue());
        }
        if (!schema.isObject() && !schema.isBoolean()) {
            throw RequestFields.wrongType(field, "a JSON schema", given);
        }
        return of(new TextGrammarSource.Schema(schema.deepCopy()), field);
    }

    private static JsonNode parsed(String field, String text) {
        try {
            return Json.read(text);
        } catch (JacksonException e) {
            throw ApiException.invalid(
                    field,
                    field
                            + ": expected a JSON schema, found a string that is not JSON or has a"
                            + " number beyond the range of a double");
        }
    }

    private static ResponseFormatFields pattern(String field, String pattern) {
        return of(new TextGrammarSource.Pattern(requireShort(field, pattern)), field);
    }

    private static ResponseFormatFields rules(String field, String rules) {
        return of(new TextGrammarSource.Rules(requireShort(field, rules)), field);
    }

    private static String requireShort(String field, String text) {
        if (text.length() > MAX_TEXT) {
            throw ApiException.invalid(
                    field, field + ": expected at most " + MAX_TEXT + " characters");
        }
        return text;
    }

    private static Optional<ResponseFormatFields> choice(RequestFields fields, String name) {
        String field = fields.place(name);
        return fields.find(name)
                .map(
                        node -> {
                            if (!node.isArray() || node.isEmpty() || node.size() > MAX_CHOICES) {
                                throw RequestFields.wrongType(
                                        field, "1 to " + MAX_CHOICES + " strings", node);
                            }
                            List<String> texts = new ArrayList<>();
                            for (JsonNode element : node) {
                                if (!element.isString()) {
                                    throw RequestFields.wrongType(
                                            field, "an array of strings", element);
                                }
                                texts.add(requireShort(field, element.stringValue()));
                            }
                            return of(new TextGrammarSource.Choice(texts), field);
                        });
    }

    /**
     * Compiles a grammar; an error becomes a 400 that names the field.
     *
     * @param make throws a {@link GrammarException}; its path begins with {@code /tools} if the
     *     error concerns a tool
     */
    public <T> T compile(Supplier<T> make) {
        try {
            return make.get();
        } catch (GrammarException e) {
            boolean tools = source.isEmpty() || e.path().startsWith("/tools");
            String where = tools ? "tools" : field;
            String path = tools && e.path().startsWith("/tools") ? e.path().substring(6) : e.path();
            throw ApiException.invalid(
                    where, where + (path.isEmpty() ? "" : " at " + path) + ": " + e.getMessage());
        }
    }
}

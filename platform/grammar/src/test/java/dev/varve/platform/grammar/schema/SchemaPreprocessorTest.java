package dev.varve.platform.grammar.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.platform.grammar.GrammarException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SchemaPreprocessorTest {
    private static final JsonMapper JSON = new JsonMapper();

    private static JsonNode json(String text) {
        return JSON.readTree(text.replace('\'', '"'));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "true                                       | true",
                "{'required': null, 'type': 'object'}       | {'type': 'object'}",
                "{'type': null, 'enum': null, '$defs': null} | {}",
                "{'properties': {'a': {'items': null}}}     | {'properties': {'a': {}}}",
                "{'properties': {'required': {'pattern': null}}} | {'properties': {'required':"
                        + " {}}}",
                "{'items': {'anyOf': [{'not': null}, true]}} | {'items': {'anyOf': [{}, true]}}",
                "{'items': [{'format': null}]}              | {'items': [{}]}",
                "{'additionalProperties': {'minimum': null}} | {'additionalProperties': {}}",
                "{'$defs': {'const': {'maximum': null}}}    | {'$defs': {'const': {}}}",
                "{'const': null}                            | {'const': null}",
                "{'const': {'a': null}}                     | {'const': {'a': null}}",
                "{'enum': [null, {'a': null}]}              | {'enum': [null, {'a': null}]}",
                "{'properties': {'a': null}}                | {'properties': {'a': null}}",
                "{'dependencies': {'a': ['b'], 'c': {'type': null}}}"
                        + " | {'dependencies': {'a': ['b'], 'c': {}}}"
            })
    void nullKeywordIsAbsent(String schema, String expected) {
        JsonNode given = json(schema);

        assertEquals(json(expected), SchemaPreprocessor.normal(given), schema);
        assertEquals(json(schema), given, "what was given is not changed");
    }

    @Test
    void numberBeyondADoubleIsRefusedWithItsPath() {
        GrammarException refusal =
                assertThrows(
                        GrammarException.class,
                        () ->
                                SchemaPreprocessor.normal(
                                        json("{'properties': {'a/b': {'enum': [1, 1e999]}}}")));

        assertEquals("/properties/a~1b/enum/1", refusal.path());
    }
}

package dev.varve.platform.http.conversation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.ToolCallRequirement;
import dev.varve.platform.chat.ToolDeclaration;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.List;

class RequestToolsTest {
    private static final String LOOK =
            "{\"type\": \"function\", \"function\": {\"name\": \"look\"}}";
    private static final String GO = "{\"name\": \"go\", \"input_schema\": {\"type\": \"object\"}}";

    private static RequestTools read(String json) {
        return RequestTools.read(
                new RequestFields(Json.parse(json.getBytes(StandardCharsets.UTF_8))));
    }

    private static String refusal(String json) {
        ApiException refusal = assertThrows(ApiException.class, () -> read(json));
        return refusal.param().orElse("") + " | " + refusal.getMessage();
    }

    @Test
    void bareFunctionIsRenderedInTheUsualShape() {
        RequestTools tools = read("{\"tools\": [" + LOOK + ", " + GO + "]}");

        assertEquals(
                "[{type=function, function={name=look}},"
                        + " {type=function, function={name=go, parameters={type=object}}}]",
                tools.forTemplate().toString());
        assertEquals(
                List.of("look", "go"),
                tools.declarations().stream().map(ToolDeclaration::name).toList());
        assertFalse(tools.single());
    }

    @Test
    void nullFieldsAreOmitted() {
        RequestTools tools =
                read(
                        "{\"tools\": [{\"function\": {\"name\": \"look\", \"strict\": null,"
                                + " \"description\": null, \"parameters\": null}}]}");

        assertEquals("[{function={name=look}}]", tools.forTemplate().toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"auto\"      | None[]",
                "\"required\"  | Any[]",
                "\"any\"       | Any[]",
                "{\"type\": \"any\"} | Any[]",
                "{\"type\": \"tool\", \"name\": \"go\"} | Named[name=go]",
                "{\"type\": \"function\", \"function\": {\"name\": \"look\"}} | Named[name=look]"
            })
    void toolChoiceMayForceACall(String choice, String forced) {
        RequestTools tools =
                read("{\"tools\": [" + LOOK + ", " + GO + "], \"tool_choice\": " + choice + "}");

        assertEquals(forced, tools.forced().toString());
    }

    @Test
    void onlyToolIsTheRequiredOne() {
        assertEquals(
                new ToolCallRequirement.Named("look"),
                read("{\"tools\": [" + LOOK + "], \"tool_choice\": \"required\"}").forced());
    }

    @Test
    void noneHidesAllTools() {
        RequestTools tools =
                read(
                        "{\"tools\": ["
                                + LOOK
                                + "], \"tool_choice\": \"none\","
                                + " \"parallel_tool_calls\": false}");

        assertTrue(tools.isEmpty());
        assertTrue(tools.forTemplate().isEmpty());
        assertTrue(tools.single());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"tools\": 1 | tools",
                "\"tools\": [1] | tools[0]",
                "\"tools\": [{\"type\": \"web\"}] | tools[0].type",
                "\"tools\": [{}] | tools[0].function",
                "\"tools\": [{\"name\": \"a b\"}] | tools[0].function.name",
                "\"tools\": [{\"name\": \"a\"}, {\"name\": \"a\"}] | tools[1].function.name",
                "\"tools\": [{\"name\": \"a\", \"parameters\": 1}] | tools[0].function.parameters",
                "\"tool_choice\": \"required\" | tool_choice",
                "\"tool_choice\": 5 | tool_choice",
                "\"tools\": [{\"name\": \"a\"}], \"tool_choice\": \"a\" | tool_choice"
            })
    void errorNamesItsPath(String fields, String place) {
        String refusal = refusal("{" + fields + "}");

        assertTrue(refusal.startsWith(place + " | " + place + ": "), refusal);
    }
}

package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.http.HttpResponse;
import java.util.List;

/** Numbers that are JSON and no doubles, wherever a body has them. */
@Timeout(60)
class FiniteNumberCheckTest {
    private final ScriptedEngine engine = new ScriptedEngine().says(SmallChat.answer("1"));

    @AfterEach
    void stop() {
        engine.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'response_format': {'type': 'json_object', 'schema': {'maximum': NUMBER}}"
                        + " | response_format",
                "'response_format': {'type': 'json_schema', 'json_schema': {'name': 'a', 'schema':"
                        + " {'minimum': NUMBER}}} | response_format",
                "'guided_json': {'multipleOf': NUMBER} | guided_json",
                "'guided_json': {'const': NUMBER} | guided_json",
                "'guided_json': '{`enum`: [NUMBER]}' | guided_json",
                "'guided_json': {'enum': [[{'a': NUMBER}]]} | guided_json",
                "'guided_json': {'maxItems': NUMBER} | guided_json",
                "'structured_outputs': {'json': {'maximum': NUMBER}} | structured_outputs",
                "'json_schema': {'properties': {'a': {'maximum': NUMBER}}} | json_schema",
                "'tools': [{'type': 'function', 'function': {'name': 'f', 'parameters': {'type':"
                    + " 'object', 'properties': {'a': {'exclusiveMaximum': NUMBER}}}}}] | tools",
                "'temperature': NUMBER | temperature",
                "'max_tokens': NUMBER | max_tokens",
                "'seed': NUMBER | seed",
                "'logit_bias': {'5': NUMBER} | logit_bias",
                "'chat_template_kwargs': {'a': NUMBER} | chat_template_kwargs",
                "'metadata': {'a': NUMBER} | metadata",
                "'unknown': [NUMBER] | unknown"
            })
    void numberBeyondADoubleIsA400WithItsField(String field, String param) throws Exception {
        try (TestServer server = SmallChat.server(engine)) {
            for (String number : List.of("1e999", "-1e999", "1.5E400")) {
                String fields =
                        field.replace("'{`", "\"{\\\"")
                                .replace("]}'", "]}\"")
                                .replace("`", "\\\"")
                                .replace('\'', '"')
                                .replace("NUMBER", number);

                HttpResponse<String> response =
                        server.post("/v1/chat/completions", TestServer.chatBody(fields));

                assertEquals(400, response.statusCode(), fields + response.body());
                assertTrue(
                        TestServer.json(response)
                                .at("/error/param")
                                .stringValue()
                                .startsWith(param.strip()),
                        response.body());
                assertTrue(response.body().contains("beyond the range"), response.body());
            }
        }
    }
}

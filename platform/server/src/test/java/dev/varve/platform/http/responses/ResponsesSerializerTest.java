package dev.varve.platform.http.responses;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.SmallChat;
import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.conversation.GenerationParameters;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.openai.Logprobs;
import dev.varve.platform.setting.SettingNames;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;

class ResponsesSerializerTest {
    private final ResponsesSerializer format = format();

    @Test
    void waitingClientGetsKnownEvents() {
        format.opening();

        for (int number = 2; number < 5; number++) {
            StreamEvent.Named event = (StreamEvent.Named) format.waiting();

            assertEquals("response.in_progress", event.name());
            assertEquals(number, event.data().get("sequence_number").intValue());
            assertEquals("in_progress", event.data().at("/response/status").stringValue());
            assertEquals("resp_1", event.data().at("/response/id").stringValue());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "400, invalid_prompt",
        "429, rate_limit_exceeded",
        "499, invalid_prompt",
        "500, server_error",
        "503, server_error"
    })
    void failureIsTheLastEvent(int status, String code) {
        format.opening();

        List<StreamEvent> events =
                format.failure(
                        ApiException.status(status, "", "it broke"), SettingNames.IDENTIFIERS);

        assertEquals(1, events.size());
        ObjectNode data = ((StreamEvent.Named) events.getFirst()).data();
        assertEquals("response.failed", data.get("type").stringValue());
        assertEquals(2, data.get("sequence_number").intValue());
        assertEquals(code, data.at("/response/error/code").stringValue());
        assertTrue(data.at("/response/output").isEmpty());
    }

    /** By this code agents know that they have to make a conversation shorter. */
    @Test
    void tooLongPromptHasItsErrorCode() {
        ApiException error =
                ApiException.of(new VarveException(VarveException.Kind.CONTEXT_OVERFLOW, "long"));

        ObjectNode data =
                ((StreamEvent.Named) format.failure(error, SettingNames.IDENTIFIERS).getFirst())
                        .data();

        assertEquals("context_length_exceeded", data.at("/response/error/code").stringValue());
    }

    private static ResponsesSerializer format() {
        RequestFields fields = new RequestFields(Json.object().put("input", "Hi"));
        ResponsesTools tools = ResponsesTools.read(fields);
        return new ResponsesSerializer(
                new ResponseObject(
                        new GenerationParameters.ResponseIdentity("resp_1", "small"),
                        EchoedFields.read(fields, tools),
                        Optional.empty()),
                tools.names(),
                new Logprobs(SmallChat.TOKENIZER),
                false);
    }
}

package dev.varve.platform.http.conversation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

class DraftFieldsTest {
    private static int read(String json) {
        return DraftFields.read(
                new RequestFields(Json.parse(json.getBytes(StandardCharsets.UTF_8))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | 2147483647",
                "{\"speculative\": null, \"draft_max\": null} | 2147483647",
                "{\"speculative\": true} | 2147483647",
                "{\"speculative\": false} | 0",
                "{\"speculative\": false, \"draft_max\": 0} | 0",
                "{\"speculative\": true, \"draft_max\": 0} | 0",
                "{\"draft_max\": 0} | 0",
                "{\"draft_max\": 3} | 3",
                "{\"speculative\": true, \"draft_max\": 3} | 3",
                "{\"draft_max\": 2147483647} | 2147483647",
            })
    void requestLimitsItsDraftLength(String json, int expected) {
        assertEquals(expected, read(json));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"speculative\": 0} | speculative",
                "{\"speculative\": \"false\"} | speculative",
                "{\"draft_max\": -1} | draft_max",
                "{\"draft_max\": 1.5} | draft_max",
                "{\"draft_max\": 2147483648} | draft_max",
                "{\"draft_max\": \"3\"} | draft_max",
                "{\"draft_max\": true} | draft_max",
                "{\"speculative\": false, \"draft_max\": 3} | draft_max",
            })
    void invalidDraftFieldIsRefusedByName(String json, String field) {
        ApiException refusal = assertThrows(ApiException.class, () -> read(json), json);

        assertEquals(400, refusal.status());
        assertEquals(Optional.of(field), refusal.param());
    }
}

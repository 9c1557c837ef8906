package dev.varve.platform.http.conversation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.sampling.SamplingOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

class SamplingFieldsTest {
    private static SamplingOptions read(String json, int choice) {
        return SamplingFields.read(
                new RequestFields(Json.parse(json.getBytes(StandardCharsets.UTF_8))), 100, choice);
    }

    @Test
    void defaultsAreThoseOfOpenAi() {
        SamplingOptions options = read("{}", 0);

        assertEquals(1f, options.temperature());
        assertEquals(1f, options.cutoffs().topP());
        assertEquals(0, options.cutoffs().topK());
        assertEquals(OptionalLong.empty(), options.seed());
        assertEquals(Map.of(), options.logitBias());
    }

    @Test
    void choicesOfOneSeedDiffer() {
        assertEquals(OptionalLong.of(7), read("{\"seed\": 7}", 0).seed());
        assertEquals(OptionalLong.of(9), read("{\"seed\": 7}", 2).seed());
        assertEquals(OptionalLong.empty(), read("{}", 2).seed());
    }

    @Test
    void minusOneOfTopKIsNoLimit() {
        assertEquals(0, read("{\"top_k\": -1}", 0).cutoffs().topK());
        assertEquals(40, read("{\"top_k\": 40}", 0).cutoffs().topK());
    }

    @Test
    void aTopPOfZeroLeavesTheMostLikelyToken() {
        assertEquals(Float.MIN_VALUE, read("{\"top_p\": 0}", 0).cutoffs().topP());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"top_p\": -0.1",
                "\"top_p\": 1.1",
                "\"temperature\": -0.1",
                "\"temperature\": 2.1",
                "\"repetition_penalty\": 0",
                "\"presence_penalty\": 3",
                "\"frequency_penalty\": \"a\"",
                "\"min_p\": 2",
                "\"top_k\": -2",
                "\"seed\": 1.5",
                "\"logit_bias\": [1]",
                "\"logit_bias\": {\"100\": 1}",
                "\"logit_bias\": {\"-1\": 1}",
                "\"logit_bias\": {\"a\": 1}",
                "\"logit_bias\": {\"5\": 101}",
                "\"logit_bias\": {\"5\": \"x\"}"
            })
    void whatIsOutOfBoundsIsNamedWithItsField(String field) {
        ApiException refusal = assertThrows(ApiException.class, () -> read("{" + field + "}", 0));

        String name = field.substring(1, field.indexOf('"', 1));
        assertTrue(refusal.getMessage().startsWith(name + ": expected "), refusal.getMessage());
        assertEquals(Optional.of(name), refusal.param());
    }

    @Test
    void biasesAreKeptByTokenId() {
        assertEquals(
                Map.of(5, -100f, 99, 0.5f),
                read("{\"logit_bias\": {\"5\": -100, \"99\": 0.5}}", 0).logitBias());
    }
}

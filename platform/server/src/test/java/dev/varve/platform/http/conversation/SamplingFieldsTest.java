package dev.varve.platform.http.conversation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.sampling.AdvancedSampling;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.SamplingParameter;
import dev.varve.platform.sampling.SamplingValues;
import dev.varve.platform.sampling.SequenceBreakers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

class SamplingFieldsTest {
    private static SamplingOptions read(String json, int choice) {
        return read(json, SamplingValues.NONE, choice);
    }

    private static SamplingOptions read(String json, SamplingValues defaults, int choice) {
        return SamplingFields.read(
                        new RequestFields(Json.parse(json.getBytes(StandardCharsets.UTF_8))),
                        new SamplingFields.Model(
                                100, texts -> SequenceBreakers.NONE, defaults, Set.of(7)),
                        choice + 1)
                .get(choice);
    }

    @Test
    void aRequestOverridesDefaultsFieldByField() {
        SamplingValues defaults =
                SamplingValues.NONE
                        .with(SamplingParameter.TEMPERATURE, 0.6)
                        .with(SamplingParameter.TOP_K, 20)
                        .with(SamplingParameter.TOP_P, 0.95)
                        .with(SamplingParameter.REPEAT_LAST_N, 64)
                        .withSeed(5);

        SamplingOptions options =
                read("{\"top_k\": 0, \"top_p\": 0.5, \"min_p\": null}", defaults, 1);

        assertEquals(0.6f, options.temperature());
        assertEquals(0, options.cutoffs().topK());
        assertEquals(0.5f, options.cutoffs().topP());
        assertEquals(64, options.penalties().lastTokens());
        assertEquals(OptionalLong.of(6), options.seed());
    }

    @Test
    void readsTheSamplersThatFewRequestsUse() {
        AdvancedSampling advanced =
                read(
                                "{\"top_n_sigma\": 1.5, \"typical_p\": 0.5, \"xtc_probability\":"
                                    + " 0.25, \"xtc_threshold\": 0.125, \"dry_multiplier\": 0.5,"
                                    + " \"dry_base\": 2, \"dry_allowed_length\": 3,"
                                    + " \"dry_penalty_last_n\": 64, \"mirostat\": 2,"
                                    + " \"mirostat_tau\": 4, \"mirostat_eta\": 0.5, \"min_tokens\":"
                                    + " 9}",
                                0)
                        .advanced();

        assertEquals(
                new AdvancedSampling(
                        1.5f,
                        0.5f,
                        new AdvancedSampling.Xtc(0.25f, 0.125f),
                        new AdvancedSampling.Dry(0.5f, 2, 3, 64, SequenceBreakers.NONE),
                        new AdvancedSampling.Mirostat(2, 4, 0.5f),
                        new AdvancedSampling.EndDelay(9, Set.of(7))),
                advanced);
    }

    @Test
    void aSeedOfMinusOneOverridesTheServersSeed() {
        SamplingValues defaults = SamplingValues.NONE.withSeed(5);

        assertEquals(OptionalLong.empty(), read("{\"seed\": -1}", defaults, 0).seed());
        assertEquals(OptionalLong.of(5), read("{}", defaults, 0).seed());
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
    void topPOfZeroKeepsTheMostLikelyToken() {
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
                "\"mirostat\": 3",
                "\"typical_p\": 1.5",
                "\"xtc_probability\": -1",
                "\"dry_allowed_length\": 0.5",
                "\"min_tokens\": -1",
                "\"seed\": 1.5",
                "\"logit_bias\": [1]",
                "\"logit_bias\": {\"100\": 1}",
                "\"logit_bias\": {\"-1\": 1}",
                "\"logit_bias\": {\"a\": 1}",
                "\"logit_bias\": {\"5\": 101}",
                "\"logit_bias\": {\"5\": \"x\"}"
            })
    void valueOutOfBoundsIsNamedWithItsField(String field) {
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

package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

class InfillTokensTest {
    private static Function<String, OptionalInt> of(Map<String, Integer> ids) {
        return name -> ids.containsKey(name) ? OptionalInt.of(ids.get(name)) : OptionalInt.empty();
    }

    @Test
    void keysOfTheFilePrecedeSpellings() {
        InfillTokens tokens =
                InfillTokens.find(
                                of(Map.of("fim_pre_token_id", 7, "suffix_token_id", 8)),
                                of(
                                        Map.of(
                                                "<|fim_prefix|>",
                                                1,
                                                "<fim_suffix>",
                                                2,
                                                "<fim-middle>",
                                                3,
                                                "<|file_sep|>",
                                                4)))
                        .orElseThrow();

        assertEquals(
                new InfillTokens(7, 8, 3, OptionalInt.empty(), OptionalInt.of(4), Set.of(4)),
                tokens);
    }

    @Test
    void vocabularyWithoutOneOfTheThreeHasNone() {
        assertEquals(
                Optional.empty(),
                InfillTokens.find(
                        of(Map.of()), of(Map.of("<|fim_prefix|>", 1, "<|fim_suffix|>", 2))));
    }

    @Test
    void ordinaryTextIsNoSuchToken() {
        Tokenizer ordinary =
                TestTokenizers.ofBytesAndWords(
                        List.of("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"));

        assertEquals(Optional.empty(), ordinary.infillTokens());
    }
}

package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

class InfillTokensTest {
    private static final int GGUF_INT64 = 11;

    @TempDir private Path folder;

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
    void spellingsWithoutBarsCount() {
        InfillTokens tokens =
                InfillTokens.find(
                                of(Map.of()),
                                of(
                                        Map.of(
                                                "<fim_prefix>", 1,
                                                "<fim_suffix>", 2,
                                                "<fim_middle>", 3,
                                                "<file_sep>", 4,
                                                "<repo_name>", 5)))
                        .orElseThrow();

        assertEquals(
                new InfillTokens(1, 2, 3, OptionalInt.of(5), OptionalInt.of(4), Set.of(4, 5)),
                tokens);
    }

    /** Such files exist; everything else works with them. */
    @ParameterizedTest
    @ValueSource(longs = {-1, 10, 0xffff_ffffL})
    void invalidIdOfAFileIsIgnored(long id) throws IOException {
        assertEquals(
                OptionalInt.empty(),
                GgufVocabulary.optionalId(fileWith(id), "fim_pre_token_id", 10));
    }

    @Test
    void validIdOfAFileCounts() throws IOException {
        assertEquals(
                OptionalInt.of(9), GgufVocabulary.optionalId(fileWith(9), "fim_pre_token_id", 10));
    }

    /** A file without tensors whose only key is an I64. */
    private GgufMetadata fileWith(long id) throws IOException {
        byte[] key = "tokenizer.ggml.fim_pre_token_id".getBytes(StandardCharsets.US_ASCII);
        ByteBuffer bytes = ByteBuffer.allocate(96).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put("GGUF".getBytes(StandardCharsets.US_ASCII)).putInt(3).putLong(0).putLong(1);
        bytes.putLong(key.length).put(key).putInt(GGUF_INT64).putLong(id);
        return GgufFile.open(Files.write(folder.resolve("model.gguf"), bytes.array())).metadata();
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

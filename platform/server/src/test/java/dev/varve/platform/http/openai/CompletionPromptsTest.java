package dev.varve.platform.http.openai;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.http.SmallChat;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.model.BosToken;
import dev.varve.platform.http.model.DecodedTextLimit;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.platform.tokenizer.TooManyTokensException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

class CompletionPromptsTest {
    private static List<ChatPrompt> read(String json, int limit) {
        return new CompletionPrompts(SmallChat.TOKENIZER, TokenLimit.of(limit), Optional.empty())
                .read(Json.MAPPER.readTree(json));
    }

    private static int[] ids(String text) {
        return BosToken.before(SmallChat.TOKENIZER.encode(text, true), SmallChat.TOKENIZER);
    }

    @Test
    void promptIsATextOrIds() {
        assertArrayEquals(ids("ab"), read("\"ab\"", 100).getFirst().tokens());
        assertArrayEquals(new int[] {3, 4}, read("[3, 4]", 100).getFirst().tokens());
    }

    @Test
    void promptKindsMayBeMixed() {
        List<ChatPrompt> prompts = read("[\"a\", [3], \"b\"]", 100);

        assertEquals(3, prompts.size());
        assertArrayEquals(ids("a"), prompts.get(0).tokens());
        assertArrayEquals(new int[] {3}, prompts.get(1).tokens());
        assertArrayEquals(ids("b"), prompts.get(2).tokens());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[3, \"ab\", 4]",
                "[[3, \"ab\", 4]]",
                "[3, \"a\", \"b\", 4]",
                "[3, \"\", \"ab\", 4]"
            })
    void stringsAmongIdsAreTokenized(String json) {
        List<ChatPrompt> prompts = read(json, 100);

        int[] expected = IntStream.of(3, ids("a")[0], ids("b")[0], 4).toArray();
        assertEquals(1, prompts.size());
        assertArrayEquals(expected, prompts.getFirst().tokens());
        assertThrows(TooManyTokensException.class, () -> read(json, 3));
    }

    @Test
    void textIsKeptOnlyForAnEcho() {
        CompletionPrompts echoing =
                new CompletionPrompts(
                        SmallChat.TOKENIZER,
                        TokenLimit.of(100),
                        Optional.of(new DecodedTextLimit("prompt", 1)));
        JsonNode prompt = Json.MAPPER.readTree("[\"ab\"]");

        assertEquals("ab", echoing.read(prompt).getFirst().text());
        assertEquals("", read("[\"ab\"]", 100).getFirst().text());
    }

    @Test
    void echoOfTokensOmitsTheSpaceBeforeTheText() {
        Tokenizer tokenizer = TestTokenizers.ofSentencePieces();
        CompletionPrompts echoing =
                new CompletionPrompts(
                        tokenizer,
                        TokenLimit.of(100),
                        Optional.of(new DecodedTextLimit("prompt", 1)));
        JsonNode prompt = Json.MAPPER.readTree(Arrays.toString(tokenizer.encode("<s> ab", true)));

        assertEquals(" ab", echoing.read(prompt).getFirst().text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5",
                "{}",
                "[]",
                "null",
                "[\"a\", {}]",
                "[[\"a\"]]",
                "[-1]",
                "[5, \"a\", -1]",
                "[5, \"a\", []]",
                "[5, null]"
            })
    void otherShapesAreRefused(String json) {
        ApiException refusal = assertThrows(ApiException.class, () -> read(json, 100));

        assertEquals(Optional.of("prompt"), refusal.param());
    }

    @Test
    void promptsAndTokensAreLimited() {
        String many = "[" + "\"a\",".repeat(64) + "\"a\"]";

        assertEquals(
                "prompt: expected at most 64 prompts, found 65",
                assertThrows(ApiException.class, () -> read(many, 100)).getMessage());
        assertThrows(TooManyTokensException.class, () -> read("[1, 2, 3]", 2));
    }
}

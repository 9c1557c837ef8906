package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.llamacpp.LlamaCppCompletions;
import dev.varve.platform.http.ollama.OllamaDialect;
import dev.varve.platform.http.ollama.OllamaRequestTranslator;
import dev.varve.platform.http.openai.CompletionRequests;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.node.ObjectNode;

import java.util.Set;

/** Prompts whose middle the model fills in. */
class InfillTest {
    private static final Tokenizer TOKENIZER =
            TestTokenizers.ofBytes(
                    "<|fim_prefix|>",
                    "<|fim_suffix|>",
                    "<|fim_middle|>",
                    "<|fim_pad|>",
                    "<|repo_name|>",
                    "<|file_sep|>",
                    "<|im_end|>");

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(4000);

    @AfterEach
    void stop() {
        engine.close();
    }

    private static ObjectNode body(String json) {
        return (ObjectNode) Json.MAPPER.readTree(json.replace('\'', '"'));
    }

    private GenerationRequest completion(String json) {
        return CompletionRequests.read(body(json), SmallChat.ofText(engine, TOKENIZER))
                .choices()
                .getFirst()
                .request();
    }

    private GenerationRequest infill(String json) {
        return infill(json, TOKENIZER);
    }

    private GenerationRequest infill(String json, Tokenizer tokenizer) {
        return LlamaCppCompletions.readInfill(body(json), SmallChat.ofText(engine, tokenizer))
                .choices()
                .getFirst()
                .request();
    }

    private static String text(GenerationRequest request) {
        return TOKENIZER.decode(request.prompt().tokens(), true);
    }

    @Test
    void suffixOfACompletionFollowsItsPrompt() {
        GenerationRequest request = completion("{'prompt': 'int a = ', 'suffix': '; return a;'}");

        assertEquals(
                "<|fim_prefix|>int a = <|fim_suffix|>; return a;<|fim_middle|>", text(request));
    }

    @Test
    void emptySuffixIsNone() {
        assertEquals("abc", text(completion("{'prompt': 'abc', 'suffix': ''}")));
    }

    @Test
    void promptOfInfillContinuesThePrefix() {
        GenerationRequest request =
                infill("{'input_prefix': 'a\\n', 'prompt': 'b', 'input_suffix': 'c'}");

        assertEquals("<|fim_prefix|>a\nb<|fim_suffix|>c<|fim_middle|>", text(request));
    }

    /** SentencePiece puts a space before a text, and none within it. */
    @Test
    void promptThatContinuesThePrefixBeginsWithoutASpace() {
        Tokenizer tokenizer =
                TestTokenizers.ofSentencePieces(
                        "<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<|file_sep|>");

        GenerationRequest request =
                infill(
                        "{'input_prefix': 'a', 'prompt': 'b', 'input_suffix': 'c', 'input_extra':"
                                + " [{'filename': 'x', 'text': 'y'}]}",
                        tokenizer);

        assertEquals(
                "<s><|file_sep|> x\ny\n<|file_sep|> file\n"
                        + "<fim_prefix> ab<fim_suffix> c<fim_middle>",
                tokenizer.decode(request.prompt().tokens(), true));
    }

    @Test
    void otherFilesPrecedeTheGap() {
        GenerationRequest request =
                infill(
                        "{'input_prefix': 'a', 'input_suffix': 'c', 'input_extra': [{'filename':"
                                + " 'x.h', 'text': 'int x;'}]}");

        assertEquals(
                "<|repo_name|>repository\n<|file_sep|>x.h\nint x;\n<|file_sep|>file\n"
                        + "<|fim_prefix|>a<|fim_suffix|>c<|fim_middle|>",
                text(request));
    }

    @Test
    void specialTokensSpelledInTextsAreText() {
        GenerationRequest request =
                completion("{'prompt': '<|fim_middle|>', 'suffix': '<|im_end|>'}");

        assertEquals(3 + 14 + 10, request.prompt().tokens().length);
    }

    @Test
    void nextFileEndsTheResponse() {
        Set<Integer> ends = completion("{'prompt': 'a', 'suffix': 'b'}").ending().endTokens();

        for (String end : new String[] {"<|fim_pad|>", "<|repo_name|>", "<|file_sep|>"}) {
            assertTrue(ends.contains(TOKENIZER.tokenId(end).orElseThrow()), end);
        }
        assertTrue(ends.containsAll(TOKENIZER.endTokens()));
        assertEquals(TOKENIZER.endTokens(), completion("{'prompt': 'a'}").ending().endTokens());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'prompt': 'a', 'suffix': 3} | suffix",
                "{'prompt': ['a', 'b'], 'suffix': 'c'} | prompt"
            })
    void wrongFieldsAreRefused(String json, String field) {
        ApiException refusal =
                assertThrows(ApiException.class, () -> completion(json.replace("\\", "")));

        assertTrue(refusal.getMessage().startsWith(field), refusal.getMessage());
    }

    /** Each route has fields of its own for this; those of another have no effect there. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'input_suffix': 'x'",
                "'input_prefix': 'x', 'input_extra': 'x'",
                "'input_suffix': 3"
            })
    void fieldsOfInfillAreNoneOfACompletion(String others) {
        GenerationRequest request = completion("{'prompt': 'abc', " + others + "}");

        assertEquals("abc", text(request));
        assertEquals(TOKENIZER.endTokens(), request.ending().endTokens());
    }

    @ParameterizedTest
    @ValueSource(strings = {"'suffix': 'x'", "'suffix': 3", "'input_suffix': 'x'"})
    void completionOfLlamaCppHasNoSuffix(String others) {
        GenerationRequest request =
                LlamaCppCompletions.read(
                                body("{'prompt': 'abc', " + others + "}"),
                                SmallChat.ofText(engine, TOKENIZER))
                        .work()
                        .prepare(() -> false)
                        .choices()
                        .getFirst()
                        .request();

        assertEquals("abc", text(request));
    }

    @Test
    void suffixIsNoFieldOfInfill() {
        GenerationRequest request =
                infill("{'input_prefix': 'a', 'input_suffix': 'c', 'suffix': 3}");

        assertEquals("<|fim_prefix|>a<|fim_suffix|>c<|fim_middle|>", text(request));
    }

    @Test
    void ignoredEndsIncludeThoseOfTheGap() {
        GenerationRequest request =
                completion("{'prompt': 'a', 'suffix': 'b', 'ignore_eos': true}");

        assertEquals(Set.of(), request.ending().endTokens());
    }

    @Test
    void minimumLengthDelaysTheEndsOfTheGap() {
        GenerationRequest request = completion("{'prompt': 'a', 'suffix': 'b', 'min_tokens': 5}");

        assertEquals(
                request.ending().endTokens(),
                request.choice().sampling().advanced().endDelay().endTokens());
    }

    @Test
    void renderingShowsTheWholePrompt() {
        String text =
                CompletionRequests.prompts(
                                body("{'prompt': 'a', 'suffix': 'b'}"),
                                SmallChat.ofText(engine, TOKENIZER))
                        .getFirst()
                        .text();

        assertEquals("<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>", text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", 'raw': true", ", 'system': 'x'"})
    void suffixOfOllamaNeedsNoTemplate(String more) {
        ObjectNode body = body("{'prompt': 'int a = ', 'suffix': ';'" + more + "}");

        assertTrue(OllamaRequestTranslator.isRaw(body));
        assertFalse(OllamaRequestTranslator.isEmpty(body));
        assertEquals(
                "<|fim_prefix|>int a = <|fim_suffix|>;<|fim_middle|>",
                text(
                        OllamaDialect.readRaw(body, SmallChat.ofText(engine, TOKENIZER))
                                .choices()
                                .getFirst()
                                .request()));
    }

    @Test
    void modelWithoutTheTokensRefuses() {
        ApiException refusal =
                assertThrows(
                        ApiException.class,
                        () ->
                                CompletionRequests.read(
                                        body("{'prompt': 'a', 'suffix': 'b'}"),
                                        SmallChat.ofText(engine, SmallChat.TOKENIZER)));

        assertTrue(
                refusal.getMessage().startsWith("suffix: the model's vocabulary"),
                refusal.getMessage());
    }

    @Test
    void infillNeedsBothSides() {
        ApiException refusal =
                assertThrows(ApiException.class, () -> infill("{'input_prefix': 'a'}"));

        assertTrue(refusal.getMessage().startsWith("input_suffix"), refusal.getMessage());
    }
}

package dev.varve.platform.http.openai;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.BosToken;
import dev.varve.platform.http.model.DecodedTextLimit;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.platform.tokenizer.TooManyTokensException;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Reads the prompts of a text completion.
 *
 * @param tokenizer tokenizer of the model
 * @param limit token limit for each prompt
 * @param echoed limits the text of all prompts, if it is required; if empty, prompts of ids have no
 *     text
 */
record CompletionPrompts(Tokenizer tokenizer, TokenLimit limit, Optional<DecodedTextLimit> echoed) {
    private static final int MAX_PROMPTS = 64;

    /**
     * Reads a string, an array of strings, an array of ids, or an array of arrays of ids. Strings
     * among ids are tokenised, as in llama.cpp.
     */
    List<ChatPrompt> read(JsonNode prompt) {
        List<ChatPrompt> prompts = new ArrayList<>();
        boolean several = prompt.isArray() && !prompt.isEmpty() && !hasId(prompt);
        if (several && prompt.size() > MAX_PROMPTS) {
            throw ApiException.invalid(
                    "prompt",
                    "prompt: expected at most " + MAX_PROMPTS + " prompts, found " + prompt.size());
        }
        if (prompt.isString()) {
            prompts.add(text(prompt.stringValue()));
        } else if (several) {
            for (JsonNode element : prompt) {
                if (element.isString()) {
                    prompts.add(text(element.stringValue()));
                } else if (element.isArray()) {
                    prompts.add(ids(element));
                } else {
                    throw RequestFields.wrongType(
                            "prompt", "strings or arrays of token ids", element);
                }
            }
        } else if (prompt.isArray() && !prompt.isEmpty()) {
            prompts.add(ids(prompt));
        } else {
            throw RequestFields.wrongType(
                    "prompt", "a string, strings, token ids or arrays of token ids", prompt);
        }
        return prompts;
    }

    private ChatPrompt text(String text) {
        int[] ids = BosToken.before(tokenizer.encode(text, true, limit), tokenizer);
        return ChatPrompt.ofText(
                ids, echoed.map(allowance -> allowance.countText(text)).orElse(""));
    }

    private static boolean hasId(JsonNode array) {
        return array.valueStream().anyMatch(JsonNode::isNumber);
    }

    private ChatPrompt ids(JsonNode array) {
        int[] ids =
                hasId(array) && array.valueStream().anyMatch(JsonNode::isString)
                        ? mixed(array)
                        : plain(array);
        return ChatPrompt.ofText(
                ids, echoed.map(allowance -> allowance.decodeSequence(tokenizer, ids)).orElse(""));
    }

    private int[] plain(JsonNode array) {
        if (array.size() > limit.tokens()) {
            throw new TooManyTokensException(limit.tokens());
        }
        return RequestFields.tokenIds("prompt", array, tokenizer.vocabularySize());
    }

    /**
     * Tokenises a mix of ids and strings. The BOS token is added only if the first element is a
     * string.
     */
    private int[] mixed(JsonNode array) {
        IntStream.Builder ids = IntStream.builder();
        int count = 0;
        for (JsonNode element : array) {
            int[] part =
                    element.isString()
                            ? tokenizer.encode(element.stringValue(), true, limit)
                            : RequestFields.tokenIds(
                                    "prompt",
                                    Json.MAPPER.createArrayNode().add(element),
                                    tokenizer.vocabularySize());
            if (count == 0 && element.isString()) {
                part = BosToken.before(part, tokenizer);
            }
            count += part.length;
            if (count > limit.tokens()) {
                throw new TooManyTokensException(limit.tokens());
            }
            Arrays.stream(part).forEach(ids);
        }
        return ids.build().toArray();
    }
}

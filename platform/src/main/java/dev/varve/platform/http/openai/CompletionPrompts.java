package dev.varve.platform.http.openai;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Fields;
import dev.varve.platform.http.model.BosToken;
import dev.varve.platform.http.model.TextAllowance;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.platform.tokenizer.TooManyTokensException;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the prompts of a text completion.
 *
 * @param tokenizer of the model
 * @param limit for each prompt
 * @param echoed counts the text of all prompts, if it is wanted; else those of ids have none
 */
record CompletionPrompts(Tokenizer tokenizer, TokenLimit limit, Optional<TextAllowance> echoed) {
    private static final int MAX_PROMPTS = 64;

    /** A string, an array of strings, an array of ids, or an array of arrays of ids. */
    List<ChatPrompt> read(JsonNode prompt) {
        List<ChatPrompt> prompts = new ArrayList<>();
        boolean several = prompt.isArray() && !prompt.isEmpty() && !prompt.get(0).isNumber();
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
                    throw Fields.wrong("prompt", "strings or arrays of token ids", element);
                }
            }
        } else if (prompt.isArray() && !prompt.isEmpty()) {
            prompts.add(ids(prompt));
        } else {
            throw Fields.wrong(
                    "prompt", "a string, strings, token ids or arrays of token ids", prompt);
        }
        return prompts;
    }

    private ChatPrompt text(String text) {
        int[] ids = BosToken.before(tokenizer.encode(text, true, limit), tokenizer);
        return ChatPrompt.ofText(ids, echoed.map(allowance -> allowance.pass(text)).orElse(""));
    }

    private ChatPrompt ids(JsonNode array) {
        if (array.size() > limit.tokens()) {
            throw new TooManyTokensException(limit.tokens());
        }
        int[] ids = Fields.tokenIds("prompt", array, tokenizer.vocabularySize());
        return ChatPrompt.ofText(
                ids, echoed.map(allowance -> allowance.decode(tokenizer, ids, false)).orElse(""));
    }
}

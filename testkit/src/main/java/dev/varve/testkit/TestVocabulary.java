package dev.varve.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A valid byte-level BPE vocabulary of any size: the 256 bytes, a few merged words, the special
 * tokens, and {@code [PADn]} up to the size. Padding tokens are ordinary ones, so that whatever a
 * random model emits has a text.
 *
 * @param tokens texts in GPT-2's byte alphabet, by id
 * @param types {@code tokenizer.ggml.token_type} by id: 1 normal, 3 control, 4 user defined
 * @param merges pairs separated by a space, best first
 */
record TestVocabulary(List<String> tokens, List<Integer> types, List<String> merges) {
    static final String END_OF_TEXT = "<|endoftext|>";
    static final String IM_START = "<|im_start|>";
    static final String IM_END = "<|im_end|>";

    private static final List<String> CONTROL = List.of(END_OF_TEXT, IM_START, IM_END);
    private static final List<String> USER_DEFINED =
            List.of("<think>", "</think>", "<tool_call>", "</tool_call>");
    private static final List<String> WORDS =
            List.of(
                    "the",
                    "and",
                    "hello",
                    "world",
                    "user",
                    "assistant",
                    "system",
                    "is",
                    "layer",
                    "water",
                    "stone");

    /** Smallest size that holds the bytes and the special tokens. */
    static final int MINIMUM = 256 + CONTROL.size() + USER_DEFINED.size();

    static TestVocabulary of(int size) {
        if (size < MINIMUM) {
            throw new IllegalArgumentException(
                    "a vocabulary needs at least " + MINIMUM + " tokens, got " + size);
        }
        Map<String, Integer> tokens = new LinkedHashMap<>();
        for (int value = 0; value < 256; value++) {
            tokens.put(Character.toString(byteSymbol(value)), 1);
        }
        List<String> merges = new ArrayList<>();
        for (String merge : wordMerges()) {
            if (tokens.size() + CONTROL.size() + USER_DEFINED.size() < size) {
                merges.add(merge);
                tokens.put(merge.replace(" ", ""), 1);
            }
        }
        CONTROL.forEach(token -> tokens.put(token, 3));
        USER_DEFINED.forEach(token -> tokens.put(token, 4));
        for (int pad = 0; tokens.size() < size; pad++) {
            tokens.put("[PAD" + pad + "]", 1);
        }
        return new TestVocabulary(
                List.copyOf(tokens.keySet()), List.copyOf(tokens.values()), merges);
    }

    int id(String token) {
        return tokens.indexOf(token);
    }

    List<Integer> controlIds() {
        return CONTROL.stream().map(this::id).toList();
    }

    void describeIn(GgufWriter writer, String chatTemplate) {
        writer.put("tokenizer.ggml.model", GgufValue.of("gpt2"))
                .put("tokenizer.ggml.pre", GgufValue.of("qwen35"))
                .put("tokenizer.ggml.tokens", GgufValue.texts(tokens))
                .put("tokenizer.ggml.token_type", GgufValue.ints(types))
                .put("tokenizer.ggml.merges", GgufValue.texts(merges))
                .put("tokenizer.ggml.eos_token_id", GgufValue.of(id(IM_END)))
                .put("tokenizer.ggml.padding_token_id", GgufValue.of(id(END_OF_TEXT)))
                .put("tokenizer.ggml.add_bos_token", GgufValue.of(false));
        if (!chatTemplate.isEmpty()) {
            writer.put("tokenizer.chat_template", GgufValue.of(chatTemplate));
        }
    }

    /**
     * Merges that build each word from the left, and then join it with a leading space. Every
     * result occurs once.
     */
    private static Set<String> wordMerges() {
        Map<String, String> byResult = new LinkedHashMap<>();
        for (String word : WORDS) {
            for (int end = 1; end < word.length(); end++) {
                byResult.putIfAbsent(
                        word.substring(0, end + 1),
                        word.substring(0, end) + " " + word.charAt(end));
            }
            String space = Character.toString(byteSymbol(' '));
            byResult.putIfAbsent(space + word, space + " " + word);
        }
        return new LinkedHashSet<>(byResult.values());
    }

    /**
     * GPT-2's byte alphabet: printable Latin-1 bytes stand for themselves, the others follow from
     * U+0100 on.
     */
    private static int byteSymbol(int value) {
        int shifted = 256;
        for (int candidate = 0; candidate < value; candidate++) {
            shifted += isPrintable(candidate) ? 0 : 1;
        }
        return isPrintable(value) ? value : shifted;
    }

    private static boolean isPrintable(int value) {
        return value >= '!' && value <= '~'
                || value >= 0xA1 && value <= 0xAC
                || value >= 0xAE && value <= 0xFF;
    }
}

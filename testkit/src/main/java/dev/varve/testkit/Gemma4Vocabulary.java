package dev.varve.testkit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A valid {@code gemma4} vocabulary of any size: special tokens, newline runs, the 256 byte tokens,
 * printable characters, a few merged words, and {@code [PADn]} up to the size.
 *
 * @param types {@code tokenizer.ggml.token_type} by id: 1 normal, 3 control, 4 user defined, 6 byte
 */
record Gemma4Vocabulary(List<String> tokens, List<Integer> types, List<String> merges) {
    private static final List<String> CONTROL =
            List.of(
                    "<pad>",
                    "<eos>",
                    "<bos>",
                    "<unk>",
                    "<|turn>",
                    "<turn|>",
                    "<|think|>",
                    "<|tool>",
                    "<tool|>");
    private static final List<String> USER_DEFINED =
            List.of(
                    "<|channel>",
                    "<channel|>",
                    "<|tool_call>",
                    "<tool_call|>",
                    "<|tool_response>",
                    "<tool_response|>",
                    "<|\"|>");
    private static final String SPACE = "\u2581";
    private static final List<String> WORDS = List.of("the", "and", "user", "model", "is", "call");

    /** First id that is text: behind specials, newline runs and bytes. */
    static final int FIRST_TEXT = CONTROL.size() + USER_DEFINED.size() + 3 + 256;

    /** Smallest size: everything but merged words. */
    static final int MINIMUM = FIRST_TEXT + 95;

    static Gemma4Vocabulary of(int size) {
        if (size < MINIMUM) {
            throw new IllegalArgumentException(
                    "a vocabulary needs at least " + MINIMUM + " tokens, got " + size);
        }
        Map<String, Integer> tokens = new LinkedHashMap<>();
        CONTROL.forEach(token -> tokens.put(token, 3));
        USER_DEFINED.forEach(token -> tokens.put(token, 4));
        tokens.put("\n", 1);
        tokens.put("\n\n", 1);
        tokens.put("\n\n\n", 1);
        for (int value = 0; value < 256; value++) {
            tokens.put(String.format(Locale.ROOT, "<0x%02X>", value), 6);
        }
        tokens.put(SPACE, 1);
        for (char letter = '!'; letter <= '~'; letter++) {
            tokens.put(Character.toString(letter), 1);
        }
        List<String> merges = new ArrayList<>();
        for (String word : WORDS) {
            for (int end = 1; end < word.length(); end++) {
                merge(tokens, merges, size, word.substring(0, end), word.substring(end, end + 1));
            }
            merge(tokens, merges, size, SPACE, word);
        }
        for (int pad = 0; tokens.size() < size; pad++) {
            tokens.put("[PAD" + pad + "]", 1);
        }
        return new Gemma4Vocabulary(
                List.copyOf(tokens.keySet()), List.copyOf(tokens.values()), merges);
    }

    private static void merge(
            Map<String, Integer> tokens, List<String> merges, int size, String left, String right) {
        if (tokens.size() < size
                && tokens.containsKey(left)
                && tokens.putIfAbsent(left + right, 1) == null) {
            merges.add(left + " " + right);
        }
    }

    int id(String token) {
        return tokens.indexOf(token);
    }

    /** Tokens that a greedy run should not meet by chance. */
    Set<Integer> quietIds() {
        Set<Integer> ids = new TreeSet<>();
        CONTROL.forEach(token -> ids.add(id(token)));
        ids.add(id("<|tool_response>"));
        return ids;
    }

    void describeIn(GgufWriter writer, String chatTemplate) {
        writer.put("tokenizer.ggml.model", GgufValue.of("gemma4"))
                .put("tokenizer.ggml.tokens", GgufValue.texts(tokens))
                .put("tokenizer.ggml.token_type", GgufValue.ints(types))
                .put(
                        "tokenizer.ggml.scores",
                        GgufValue.floats(Collections.nCopies(tokens.size(), -1000f)))
                .put("tokenizer.ggml.merges", GgufValue.texts(merges))
                .put("tokenizer.ggml.bos_token_id", GgufValue.of(id("<bos>")))
                .put("tokenizer.ggml.eos_token_id", GgufValue.of(id("<eos>")))
                .put("tokenizer.ggml.unknown_token_id", GgufValue.of(id("<unk>")))
                .put("tokenizer.ggml.padding_token_id", GgufValue.of(id("<pad>")))
                .put("tokenizer.ggml.add_bos_token", GgufValue.of(true));
        if (!chatTemplate.isEmpty()) {
            writer.put("tokenizer.chat_template", GgufValue.of(chatTemplate));
        }
    }
}

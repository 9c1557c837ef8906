package dev.varve.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A valid byte-level BPE vocabulary of any size: the 256 bytes, a few merged words, the special
 * tokens, and {@code [PADn]} up to the size. Padding tokens are ordinary ones, so that every token
 * that a random model emits has a text.
 *
 * @param tokens texts in GPT-2's byte alphabet, by id
 * @param types {@code tokenizer.ggml.token_type} by id: 1 normal, 3 control, 4 user defined
 * @param merges pairs separated by a space, best first
 * @param specials tokens that no merge makes, and their purposes
 */
record TestVocabulary(
        List<String> tokens, List<Integer> types, List<String> merges, Specials specials) {
    static final String END_OF_TEXT = "<|endoftext|>";
    static final String IM_START = "<|im_start|>";
    static final String IM_END = "<|im_end|>";

    static final String LAGUNA_END = "〈|EOS|〉";
    static final String LAGUNA_TURN_END = "</assistant>";

    private static final List<String> LAGUNA_MARKS =
            List.of(
                    "<think>",
                    "</think>",
                    "<system>",
                    "</system>",
                    "<user>",
                    "</user>",
                    "<assistant>",
                    "<tool_call>",
                    "</tool_call>",
                    "<tool_response>",
                    "</tool_response>",
                    "<arg_key>",
                    "</arg_key>",
                    "<arg_value>",
                    "</arg_value>");

    /**
     * The special tokens of a family.
     *
     * @param preTokenizer {@code tokenizer.ggml.pre}
     * @param begin token that starts every text; empty for none
     * @param endOfTurn value of {@code tokenizer.ggml.eot_token_id}; empty for none
     * @param quiet tokens that end a text, marked as such or not
     */
    record Specials(
            String preTokenizer,
            List<String> control,
            List<String> userDefined,
            Optional<String> begin,
            String end,
            Optional<String> endOfTurn,
            String padding,
            List<String> quiet) {
        int count() {
            return control.size() + userDefined.size();
        }
    }

    static final Specials QWEN =
            new Specials(
                    "qwen35",
                    List.of(END_OF_TEXT, IM_START, IM_END),
                    List.of("<think>", "</think>", "<tool_call>", "</tool_call>"),
                    Optional.empty(),
                    IM_END,
                    Optional.empty(),
                    END_OF_TEXT,
                    List.of(END_OF_TEXT, IM_START, IM_END));

    /**
     * @param marked whether the end of a turn is a control token that the file names; otherwise it
     *     is an ordinary special token, to be known by its text
     */
    static Specials laguna(boolean marked) {
        List<String> control = marked ? List.of(LAGUNA_END, LAGUNA_TURN_END) : List.of(LAGUNA_END);
        List<String> userDefined = new ArrayList<>(LAGUNA_MARKS);
        if (!marked) {
            userDefined.add(LAGUNA_TURN_END);
        }
        return new Specials(
                "laguna",
                control,
                List.copyOf(userDefined),
                Optional.of(LAGUNA_END),
                LAGUNA_END,
                marked ? Optional.of(LAGUNA_TURN_END) : Optional.empty(),
                LAGUNA_END,
                List.of(LAGUNA_END, LAGUNA_TURN_END));
    }

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

    /** Smallest size that holds the bytes and Qwen's special tokens. */
    static final int MINIMUM = minimum(QWEN);

    static int minimum(Specials specials) {
        return 256 + specials.count();
    }

    /** With Qwen's special tokens. */
    static TestVocabulary of(int size) {
        return of(size, QWEN);
    }

    static TestVocabulary of(int size, Specials specials) {
        if (size < minimum(specials)) {
            throw new IllegalArgumentException(
                    "a vocabulary needs at least " + minimum(specials) + " tokens, got " + size);
        }
        Map<String, Integer> tokens = new LinkedHashMap<>();
        for (int value = 0; value < 256; value++) {
            tokens.put(Character.toString(byteSymbol(value)), 1);
        }
        List<String> merges = new ArrayList<>();
        for (String merge : wordMerges()) {
            if (tokens.size() + specials.count() < size) {
                merges.add(merge);
                tokens.put(merge.replace(" ", ""), 1);
            }
        }
        specials.control().forEach(token -> tokens.put(token, 3));
        specials.userDefined().forEach(token -> tokens.put(token, 4));
        for (int pad = 0; tokens.size() < size; pad++) {
            tokens.put("[PAD" + pad + "]", 1);
        }
        return new TestVocabulary(
                List.copyOf(tokens.keySet()), List.copyOf(tokens.values()), merges, specials);
    }

    int id(String token) {
        return tokens.indexOf(token);
    }

    /**
     * Returns the spelling of a text of one byte as a token; other texts are returned unchanged.
     */
    static String spelling(String text) {
        return text.length() == 1 && text.charAt(0) < 128
                ? Character.toString(byteSymbol(text.charAt(0)))
                : text;
    }

    /** Tokens that a random model should not emit by chance. */
    List<Integer> controlIds() {
        return specials.quiet().stream().map(this::id).toList();
    }

    void describeIn(GgufWriter writer, String chatTemplate) {
        writer.put("tokenizer.ggml.model", GgufValue.of("gpt2"))
                .put("tokenizer.ggml.pre", GgufValue.of(specials.preTokenizer()))
                .put("tokenizer.ggml.tokens", GgufValue.texts(tokens))
                .put("tokenizer.ggml.token_type", GgufValue.ints(types))
                .put("tokenizer.ggml.merges", GgufValue.texts(merges))
                .put("tokenizer.ggml.eos_token_id", GgufValue.of(id(specials.end())))
                .put("tokenizer.ggml.padding_token_id", GgufValue.of(id(specials.padding())))
                .put("tokenizer.ggml.add_bos_token", GgufValue.of(specials.begin().isPresent()));
        specials.begin()
                .ifPresent(
                        token ->
                                writer.put("tokenizer.ggml.bos_token_id", GgufValue.of(id(token))));
        specials.endOfTurn()
                .ifPresent(
                        token ->
                                writer.put("tokenizer.ggml.eot_token_id", GgufValue.of(id(token))));
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

package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * A model whose vector of a text is the average of fixed vectors of its words, so that texts with
 * common words have similar vectors: a file of BERT whose only layer adds nothing. Positions and
 * unknown words have no influence.
 *
 * @param words the words, in lower case
 */
public record WordVectorModel(List<String> words) {
    private static final String KEY = "bert";
    private static final int CONTENTS_VERSION = 1;
    private static final int WIDTH = 128;
    private static final int CONTEXT = 64;
    private static final int MEAN = 1;
    private static final List<String> SPECIALS = List.of("[PAD]", "[UNK]", "[CLS]", "[SEP]");

    /** Copies the list. */
    public WordVectorModel {
        words = List.copyOf(words);
    }

    /** Writes a model of the words of some texts to a file: FILE TEXT... */
    public static void main(String[] arguments) throws IOException {
        ofTexts(List.of(arguments).subList(1, arguments.length))
                .writer()
                .write(Path.of(arguments[0]));
    }

    /** Returns the model of all words of some texts. */
    public static WordVectorModel ofTexts(List<String> texts) {
        return new WordVectorModel(
                texts.stream()
                        .flatMap(
                                text ->
                                        Arrays.stream(
                                                text.toLowerCase(Locale.ROOT).split("[^a-z0-9]+")))
                        .filter(word -> !word.isEmpty())
                        .distinct()
                        .sorted()
                        .toList());
    }

    /** Elements of a vector. */
    public int vectorLength() {
        return WIDTH;
    }

    /** Most tokens of a text, those around it included. */
    public int maxTokens() {
        return CONTEXT;
    }

    /** Writes the model, unless this folder has it already. */
    public Path write(Path folder) throws IOException {
        return ModelFile.write(
                folder,
                "words",
                new Qwen35Model.Size(1, WIDTH, WIDTH, vocabulary(), CONTEXT),
                TensorType.F32,
                CONTENTS_VERSION + toString(),
                this::writer);
    }

    private int vocabulary() {
        return SPECIALS.size() + words.size();
    }

    private GgufWriter writer() {
        GgufWriter writer = new GgufWriter();
        describe(writer);
        describeVocabulary(writer);
        writer.tensor(
                "token_embd.weight",
                TensorType.F32,
                List.of((long) WIDTH, (long) vocabulary()),
                new TensorData.Floats(this::fill));
        norm(writer, "token_embd_norm");
        zeros(writer, "token_types.weight", WIDTH, 2);
        zeros(writer, "position_embd.weight", WIDTH, CONTEXT);
        for (String name :
                List.of("attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down")) {
            zeros(writer, "blk.0." + name + ".weight", WIDTH, WIDTH);
        }
        norm(writer, "blk.0.attn_output_norm");
        norm(writer, "blk.0.layer_output_norm");
        return writer;
    }

    /** Words have signs that depend on the word alone, other tokens zeros. */
    private void fill(long row, float[] values) {
        int index = (int) row - SPECIALS.size();
        if (index < 0) {
            Arrays.fill(values, 0);
            return;
        }
        SplittableRandom random = new SplittableRandom(words.get(index).hashCode());
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextBoolean() ? 1 : -1;
        }
    }

    private static void describe(GgufWriter writer) {
        String prefix = KEY + ".";
        writer.put("general.architecture", GgufValue.of(KEY))
                .put(prefix + "block_count", GgufValue.of(1))
                .put(prefix + "context_length", GgufValue.of(CONTEXT))
                .put(prefix + "embedding_length", GgufValue.of(WIDTH))
                .put(prefix + "feed_forward_length", GgufValue.of(WIDTH))
                .put(prefix + "attention.head_count", GgufValue.of(2))
                .put(prefix + "attention.causal", GgufValue.of(false))
                .put(prefix + "attention.layer_norm_epsilon", GgufValue.of(1e-6f))
                .put(prefix + "pooling_type", GgufValue.of(MEAN));
    }

    private void describeVocabulary(GgufWriter writer) {
        List<String> tokens = new ArrayList<>(SPECIALS);
        words.forEach(word -> tokens.add("\u2581" + word));
        List<Integer> types = new ArrayList<>();
        for (int id = 0; id < tokens.size(); id++) {
            types.add(id < SPECIALS.size() ? 3 : 1);
        }
        String prefix = "tokenizer.ggml.";
        writer.put(prefix + "model", GgufValue.of(KEY))
                .put(prefix + "tokens", GgufValue.texts(tokens))
                .put(prefix + "token_type", GgufValue.ints(types))
                .put(prefix + "token_type_count", GgufValue.of(2))
                .put(prefix + "padding_token_id", GgufValue.of(0))
                .put(prefix + "unknown_token_id", GgufValue.of(1))
                .put(prefix + "bos_token_id", GgufValue.of(2))
                .put(prefix + "cls_token_id", GgufValue.of(2))
                .put(prefix + "seperator_token_id", GgufValue.of(3));
    }

    private static void norm(GgufWriter writer, String name) {
        constant(writer, name + ".weight", 1, WIDTH);
        constant(writer, name + ".bias", 0, WIDTH);
    }

    private static void zeros(GgufWriter writer, String name, int inputs, int outputs) {
        constant(writer, name, 0, inputs, outputs);
    }

    private static void constant(GgufWriter writer, String name, float value, long... shape) {
        writer.tensor(
                name,
                TensorType.F32,
                Arrays.stream(shape).boxed().toList(),
                TensorData.constant(value));
    }
}

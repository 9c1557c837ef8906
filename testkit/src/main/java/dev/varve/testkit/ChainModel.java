package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * A small model with a scripted output: its next token is a function of the last one.
 *
 * <p>All layers compute as ever, but the matrices that write to the residual stream are zero, so
 * the hidden state is the embedding of the last token: a row of random signs, nearly orthogonal to
 * all others. In the head, the row of a token is the sum of the embeddings of those that it
 * follows. The right token leads by about {@value #LEAD}, others lie around zero.
 *
 * <p>Texts that the family's vocabulary does not have become user-defined tokens in the place of
 * its padding.
 */
public final class ChainModel {
    private static final int WIDTH = 256;
    private static final int VOCABULARY = 640;
    private static final int CONTEXT = 4096;

    /** Logit of the right token. */
    private static final float LEAD = 32;

    private static final String EMBEDDING = "token_embd.weight";

    /** Share of the token before the last one in the hidden state, relative to the last one. */
    private static final double RECALL = 2.0 / 3;

    private static final Gemma4Model.Attention GEMMA_ATTENTION =
            new Gemma4Model.Attention(
                    List.of(true, true, false, true, true, false),
                    2,
                    4,
                    4,
                    4,
                    1,
                    WIDTH / 4,
                    WIDTH / 4,
                    false,
                    false);

    /** The matrices that end a branch. */
    private static final Set<String> BRANCH_ENDS =
            Set.of("attn_output", "ssm_out", "ffn_down", "ffn_down_exps", "ffn_down_shexp", "proj");

    private final GgufWriter writer;
    private final List<String> tokens;
    private final List<Integer> types;
    private final UnaryOperator<String> spelling;
    private final Map<Integer, Integer> successors = new HashMap<>();
    private final Map<Pair, Integer> exceptions = new HashMap<>();

    /** A token and the one before it. */
    private record Pair(int before, int last) {}

    private ChainModel(
            GgufWriter writer,
            List<String> tokens,
            List<Integer> types,
            UnaryOperator<String> spelling) {
        this.writer = writer;
        this.tokens = new ArrayList<>(tokens);
        this.types = new ArrayList<>(types);
        this.spelling = spelling;
    }

    /**
     * A model of the {@code qwen3} family.
     *
     * @param template Jinja text
     */
    public static ChainModel qwen3(String template) {
        Qwen3Model model =
                Qwen3Model.tiny()
                        .withSize(new Qwen35Model.Size(4, WIDTH, 256, VOCABULARY, CONTEXT))
                        .withTiedHead(false)
                        .withChatTemplate(template);
        return of(model.writer(), TestVocabulary.of(VOCABULARY));
    }

    /** A model of the {@code qwen35} family. */
    public static ChainModel qwen35(String template) {
        Qwen35Model model = qwen(template, 256);
        return of(model.writer(), TestVocabulary.of(VOCABULARY));
    }

    /** A model of the shape and type of another one, which has a head of its own. */
    public static ChainModel like(Qwen35Model model) {
        return of(model.withTiedHead(false).writer(), TestVocabulary.of(model.size().vocabulary()));
    }

    /** A model of the {@code qwen35moe} family. */
    public static ChainModel qwen35Moe(String template) {
        Qwen35MoeModel model = Qwen35MoeModel.tiny().withDense(qwen(template, 96));
        return of(model.writer(), TestVocabulary.of(VOCABULARY));
    }

    /** A model of the {@code laguna} family. */
    public static ChainModel laguna(String template) {
        LagunaModel model =
                LagunaModel.tiny()
                        .withSize(new Qwen35Model.Size(5, WIDTH, 256, VOCABULARY, CONTEXT))
                        .withTiedHead(false)
                        .withChat(new LagunaModel.Chat(template, true));
        return of(model.writer(), model.vocabulary());
    }

    /**
     * A model of the {@code gemma4} family, which sees the token before the last one too: the first
     * layer, with a window of two, adds the mean of both.
     */
    public static ChainModel gemma4(String template) {
        Gemma4Model model =
                Gemma4Model.tiny()
                        .withSize(new Qwen35Model.Size(6, WIDTH, 256, VOCABULARY, CONTEXT))
                        .withAttention(GEMMA_ATTENTION)
                        .withWeights(
                                new Gemma4Model.Weights(
                                        TensorType.F32, false, false, false, false, 1))
                        .withChatTemplate(template);
        Gemma4Vocabulary vocabulary = Gemma4Vocabulary.of(VOCABULARY);
        return new ChainModel(
                recalling(model.writer()),
                vocabulary.tokens(),
                vocabulary.types(),
                UnaryOperator.identity());
    }

    /** Queries of zero look at both positions alike; values and outputs are the inputs. */
    private static GgufWriter recalling(GgufWriter writer) {
        TensorData identity =
                new TensorData.Floats(
                        (row, values) -> {
                            Arrays.fill(values, 0);
                            values[(int) row] = 1;
                        });
        // The mean of two rows of signs has size sqrt(1/2), which the norm makes 1. The embedding
        // has size sqrt(WIDTH).
        double added = Math.sqrt(2 * WIDTH) * RECALL / (1 - RECALL);
        return writer.replace(ChainModel::endsBranch, TensorData.constant(0))
                .replace("blk.0.attn_q.weight"::equals, TensorData.constant(0))
                .replace("blk.0.attn_v.weight"::equals, identity)
                .replace("blk.0.attn_output.weight"::equals, identity)
                .replace(
                        "blk.0.post_attention_norm.weight"::equals,
                        TensorData.constant((float) added));
    }

    private static Qwen35Model qwen(String template, int feedForward) {
        return Qwen35Model.tiny()
                .withSize(new Qwen35Model.Size(4, WIDTH, feedForward, VOCABULARY, CONTEXT))
                .withTiedHead(false)
                .withChatTemplate(template);
    }

    private static ChainModel of(GgufWriter writer, TestVocabulary vocabulary) {
        writer.replace(ChainModel::endsBranch, TensorData.constant(0));
        return new ChainModel(
                writer, vocabulary.tokens(), vocabulary.types(), TestVocabulary::spelling);
    }

    /**
     * Makes the model continue with one token after the other.
     *
     * @param texts of tokens; the first is the last of the prompt
     * @throws IllegalArgumentException if one of them, but the last, has another successor already,
     *     or the vocabulary is full
     */
    public ChainModel says(String... texts) {
        for (int i = 1; i < texts.length; i++) {
            int next = id(texts[i]);
            Integer other = successors.putIfAbsent(id(texts[i - 1]), next);
            if (other != null && other != next) {
                throw new IllegalArgumentException(
                        String.format(
                                Locale.ROOT,
                                "after '%s' comes '%s', expected '%s'",
                                texts[i - 1],
                                tokens.get(other),
                                texts[i]));
            }
        }
        return this;
    }

    /** Makes the model emit these tokens, in their order, over and over. */
    public ChainModel repeats(int... ids) {
        for (int i = 0; i < ids.length; i++) {
            successors.put(ids[i], ids[(i + 1) % ids.length]);
        }
        return this;
    }

    /**
     * Makes the model of a family that sees two tokens continue differently behind a pair.
     *
     * @param before token before {@code last}
     * @param last token that has another successor
     */
    public ChainModel saysBehind(String before, String last, String next) {
        exceptions.put(new Pair(id(before), id(last)), id(next));
        return this;
    }

    /** Writes the model, replacing what is there. */
    public Path write(Path file) throws IOException {
        TensorData.RowGenerator signs = new RandomRows(1).signed(EMBEDDING, 0);
        writer.put("tokenizer.ggml.tokens", GgufValue.texts(tokens))
                .put("tokenizer.ggml.token_type", GgufValue.ints(types))
                .replace(EMBEDDING::equals, new TensorData.Floats(signs))
                .replace("output.weight"::equals, new TensorData.Floats(head(signs)))
                .replace("output_norm.weight"::equals, TensorData.constant(1))
                .write(file);
        return file;
    }

    private TensorData.RowGenerator head(TensorData.RowGenerator signs) {
        Map<Integer, Map<Integer, Float>> predecessors = new HashMap<>();
        successors.forEach((token, next) -> parts(predecessors, next).put(token, LEAD));
        // Behind the pair this is more than the rule, behind either token alone it is less.
        exceptions.forEach(
                (pair, next) -> {
                    parts(predecessors, next).put(pair.last(), 0.7f * LEAD);
                    parts(predecessors, next).put(pair.before(), 0.8f * LEAD);
                });
        return (row, values) -> {
            Arrays.fill(values, 0);
            float[] embedding = new float[values.length];
            parts(predecessors, (int) row)
                    .forEach(
                            (token, logit) -> {
                                signs.fill(token, embedding);
                                for (int i = 0; i < values.length; i++) {
                                    values[i] += embedding[i] * logit / values.length;
                                }
                            });
        };
    }

    private static Map<Integer, Float> parts(Map<Integer, Map<Integer, Float>> rows, int row) {
        return rows.computeIfAbsent(row, key -> new TreeMap<>());
    }

    private static boolean endsBranch(String tensor) {
        String[] parts = tensor.split("\\.");
        return parts.length == 4 && BRANCH_ENDS.contains(parts[2]) && parts[3].equals("weight");
    }

    /** Id of a text, which becomes a token if it is none yet. */
    private int id(String text) {
        int known = tokens.indexOf(spelling.apply(text));
        if (known >= 0) {
            return known;
        }
        for (int id = 0; id < tokens.size(); id++) {
            if (tokens.get(id).startsWith("[PAD")) {
                tokens.set(id, text);
                types.set(id, 4);
                return id;
            }
        }
        throw new IllegalArgumentException("the vocabulary has no place for '" + text + "'");
    }
}

package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Description of a random {@code gemma4-assistant} beside a random model, from which the same file
 * is written every time. Its heads are those of the model.
 *
 * @param sliding per block, whether it reads the rows of a sliding layer
 * @param width of the hidden state between its blocks
 */
public record Gemma4AssistantModel(
        Gemma4Model target, List<Boolean> sliding, int width, int feedForward, long seed) {
    private static final String PREFIX = "gemma4-assistant.";
    private static final double LOGIT_DEVIATION = 4;
    private static final double BRANCH = 0.8;
    private static final double SCORE_DEVIATION = 2.5;

    public Gemma4AssistantModel {
        sliding = List.copyOf(sliding);
    }

    /** Four narrow blocks, as the released assistants have. */
    public static Gemma4AssistantModel of(Gemma4Model target) {
        return new Gemma4AssistantModel(target, List.of(true, true, true, false), 64, 96, 11);
    }

    /** Writes the file, unless this folder has it already. */
    public Path write(Path folder) throws IOException {
        return ModelFile.write(
                folder,
                "gemma4-assistant",
                new Qwen35Model.Size(
                        sliding.size(),
                        width,
                        feedForward,
                        target.size().vocabulary(),
                        target.size().context()),
                TensorType.F32,
                toString(),
                this::writer);
    }

    /** The whole content, for callers that change it before writing. */
    public GgufWriter writer() {
        GgufWriter writer = new GgufWriter();
        describeIn(writer);
        Gemma4Vocabulary vocabulary = Gemma4Vocabulary.of(target.size().vocabulary());
        vocabulary.describeIn(writer, "");
        RandomTensors tensors =
                new RandomTensors(
                        writer, TensorType.F32, false, new RandomRows(seed), vocabulary.quietIds());
        addEnds(tensors);
        for (int block = 0; block < sliding.size(); block++) {
            addBlock(tensors, block);
        }
        return writer;
    }

    private void describeIn(GgufWriter writer) {
        Gemma4Model.Attention attention = target.attention();
        writer.put("general.architecture", GgufValue.of("gemma4-assistant"))
                .put("general.name", GgufValue.of("Random assistant, seed " + seed))
                .put(PREFIX + "block_count", GgufValue.of(sliding.size()))
                .put(PREFIX + "nextn_predict_layers", GgufValue.of(sliding.size()))
                .put(PREFIX + "context_length", GgufValue.of(target.size().context()))
                .put(PREFIX + "embedding_length", GgufValue.of(width))
                .put(PREFIX + "embedding_length_out", GgufValue.of(target.size().embedding()))
                .put(PREFIX + "feed_forward_length", GgufValue.of(feedForward))
                .put(
                        PREFIX + "attention.head_count",
                        GgufValue.ints(perBlock(attention.heads(), attention.fullHeads())))
                .put(
                        PREFIX + "attention.head_count_kv",
                        GgufValue.ints(perBlock(attention.kvHeads(), attention.fullKvHeads())))
                .put(PREFIX + "attention.key_length", GgufValue.of(attention.fullHeadDim()))
                .put(PREFIX + "attention.value_length", GgufValue.of(attention.fullHeadDim()))
                .put(PREFIX + "attention.key_length_swa", GgufValue.of(attention.headDim()))
                .put(PREFIX + "attention.value_length_swa", GgufValue.of(attention.headDim()))
                .put(PREFIX + "attention.layer_norm_rms_epsilon", GgufValue.of(1e-6f))
                .put(PREFIX + "attention.sliding_window", GgufValue.of(attention.window()))
                .put(PREFIX + "attention.sliding_window_pattern", GgufValue.booleans(sliding))
                .put(PREFIX + "attention.shared_kv_layers", GgufValue.of(sliding.size()))
                .put(PREFIX + "rope.freq_base", GgufValue.of(1e6f))
                .put(PREFIX + "rope.freq_base_swa", GgufValue.of(1e4f))
                .put(PREFIX + "rope.dimension_count", GgufValue.of(attention.fullHeadDim()))
                .put(PREFIX + "rope.dimension_count_swa", GgufValue.of(attention.headDim()));
    }

    private List<Integer> perBlock(int ofSliding, int ofFull) {
        return sliding.stream().map(slides -> slides ? ofSliding : ofFull).toList();
    }

    private void addEnds(RandomTensors tensors) {
        int outer = target.size().embedding();
        tensors.vocabulary(
                "token_embd.weight",
                width,
                target.size().vocabulary(),
                LOGIT_DEVIATION / Math.sqrt(width));
        tensors.norm("output_norm.weight", width, 1);
        tensors.matrix(
                "nextn.pre_projection.weight", List.of(2 * outer, width), 1 / Math.sqrt(2 * outer));
        tensors.matrix("nextn.post_projection.weight", List.of(width, outer), 1 / Math.sqrt(width));
        if (sliding.contains(false)) {
            int pairs = target.attention().fullHeadDim() / 2;
            tensors.vector(
                    "rope_freqs.weight",
                    pairs,
                    (row, values) ->
                            IntStream.range(0, pairs)
                                    .forEach(i -> values[i] = i < pairs / 4 ? 1 : 1e30f));
        }
    }

    private void addBlock(RandomTensors tensors, int block) {
        String prefix = "blk." + block + ".";
        Gemma4Model.Attention attention = target.attention();
        boolean slides = sliding.get(block);
        int length = slides ? attention.headDim() : attention.fullHeadDim();
        int rows = length * (slides ? attention.heads() : attention.fullHeads());
        double branch = BRANCH * Math.sqrt(2.0 / sliding.size());
        tensors.norm(prefix + "attn_norm.weight", width, 1);
        matrix(tensors, prefix + "attn_q", width, rows);
        tensors.norm(
                prefix + "attn_q_norm.weight",
                length,
                Math.sqrt(SCORE_DEVIATION / Math.sqrt(length)));
        matrix(tensors, prefix + "attn_output", rows, width);
        tensors.norm(prefix + "post_attention_norm.weight", width, branch);
        tensors.norm(prefix + "ffn_norm.weight", width, 1);
        matrix(tensors, prefix + "ffn_gate", width, feedForward);
        matrix(tensors, prefix + "ffn_up", width, feedForward);
        matrix(tensors, prefix + "ffn_down", feedForward, width);
        tensors.norm(prefix + "post_ffw_norm.weight", width, branch);
        String scale = prefix + "layer_output_scale.weight";
        tensors.vector(scale, 1, tensors.rows().gaussian(scale, 0.9, 0.05));
    }

    private static void matrix(RandomTensors tensors, String name, int inputs, int outputs) {
        tensors.matrix(name + ".weight", List.of(inputs, outputs), 1 / Math.sqrt(inputs));
    }
}

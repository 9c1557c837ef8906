package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A random DSpark draft: a DFlash network whose draft tokens depend on the tokens before them.
 *
 * @param network in llama.cpp's form
 * @param rank elements of the vector by which a token affects the next one
 * @param fromAnchor whether the first slot proposes a token, too
 * @param confidence size and bias of the input of its confidence; 0 for no confidence
 */
public record DsparkModel(
        DflashModel network, int rank, boolean fromAnchor, Confidence confidence) {
    /**
     * Confidence in the draft tokens.
     *
     * @param deviation deviation of the input of the sigmoid
     * @param bias mean of that input
     */
    public record Confidence(double deviation, double bias) {
        public static final Confidence NONE = new Confidence(0, 0);
    }

    /** A draft of a small rank, without confidence. */
    public static DsparkModel of(DflashModel network, boolean fromAnchor) {
        return new DsparkModel(network, 8, fromAnchor, Confidence.NONE);
    }

    /** The same with confidence. */
    public DsparkModel with(Confidence other) {
        return new DsparkModel(network, rank, fromAnchor, other);
    }

    /** Writes the model, unless this folder has it already. */
    public Path write(Path folder) throws IOException {
        return network.write(folder, "dspark", toString(), this::writer);
    }

    /** The whole content, for callers that change it before writing. */
    public GgufWriter writer() {
        GgufWriter writer = network.writer();
        writer.put("dflash.sample_from_anchor", GgufValue.of(fromAnchor));
        RandomTensors tensors = network.tensors(writer);
        tensors.matrix("markov_w1.weight", List.of(rank, network.target().vocabulary()), 1);
        tensors.matrix("markov_w2.weight", List.of(rank, network.headRows()), 4 / Math.sqrt(rank));
        if (confidence.deviation() > 0) {
            writer.put("dflash.has_confidence_head", GgufValue.of(true));
            int inputs = network.target().width() + rank;
            tensors.matrix(
                    "conf_proj.weight",
                    List.of(inputs, 1),
                    confidence.deviation() / Math.sqrt(inputs));
            writer.tensor(
                    "conf_proj.bias",
                    TensorType.F32,
                    List.of(1L),
                    TensorData.constant((float) confidence.bias()));
        }
        return writer;
    }
}

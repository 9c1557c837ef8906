package dev.varve.conformance;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.testkit.Dflash2Model;
import dev.varve.testkit.DflashModel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A DFlash network in plain arithmetic, from F32 weights, with the whole context at every block: an
 * evaluation that shares nothing with the one that is tested but the file.
 */
final class PlainDraft {
    private final DflashModel model;
    private final GgufFile file;
    private final GgufFile target;
    private final Optional<Dflash2Model.Convolution> convolution;
    private final Map<GgufTensor, float[]> read = new HashMap<>();

    PlainDraft(DflashModel model, GgufFile file, GgufFile target) {
        this(model, Optional.empty(), file, target);
    }

    /** Creates a draft that may mix the rows of a block. */
    PlainDraft(
            DflashModel model,
            Optional<Dflash2Model.Convolution> convolution,
            GgufFile file,
            GgufFile target) {
        this.model = model;
        this.convolution = convolution;
        this.file = file;
        this.target = target;
    }

    /** One token's keys and values of a layer, with its position. */
    private record Entry(int position, int slot, double[] keys, double[] values) {}

    /**
     * Logits of the slots behind the first one.
     *
     * @param features of the tokens at positions {@code begin} to before {@code begin + length}
     * @param known token at the position behind them
     */
    double[][] logits(float[][] features, int begin, int known) {
        double[][] states = states(features, begin, known);
        double[][] logits = new double[states.length - 1][];
        for (int slot = 1; slot < states.length; slot++) {
            logits[slot - 1] = logits(states[slot]);
        }
        return logits;
    }

    /** Logits of a state. */
    double[] logits(double[] state) {
        return multiply(head(), state);
    }

    /** States of all slots, behind the last norm. */
    double[][] states(float[][] features, int begin, int known) {
        int block = model.block().tokens();
        int end = begin + features.length;
        boolean reference = model.form() == DflashModel.Form.REFERENCE;
        double[][] fused = new double[features.length][];
        for (int i = 0; i < features.length; i++) {
            double[] states = normedEach(toDoubles(features[i]));
            double[] product = multiply(reference ? "dflash.fc" : "fc", states);
            fused[i] =
                    norm(
                            product,
                            reference ? "dflash.hidden_norm.weight" : "enc.output_norm.weight");
        }
        double[][] hidden = new double[block][];
        for (int slot = 0; slot < block; slot++) {
            hidden[slot] =
                    row(
                            embeddingFile().requireTensor("token_embd.weight"),
                            slot == 0 ? known : model.block().mask());
        }
        for (int layer = 0; layer < model.network().layers(); layer++) {
            String prefix = "blk." + layer + ".";
            List<Entry> entries = new ArrayList<>();
            for (int i = 0; i < fused.length; i++) {
                entries.add(entry(prefix, fusedFor(prefix, fused[i]), begin + i, -1));
            }
            double[][] inputs = new double[block][];
            for (int slot = 0; slot < block; slot++) {
                inputs[slot] = norm(hidden[slot], prefix + "attn_norm.weight");
            }
            double[][] mixed = mix(inputs, inputs, prefix + "attn", 0);
            for (int slot = 0; slot < block; slot++) {
                entries.add(entry(prefix, mixed[slot], end + slot, slot));
            }
            double[][] attended = new double[block][];
            for (int slot = 0; slot < block; slot++) {
                double[] heads = attend(prefix, layer, mixed[slot], end, slot, entries);
                attended[slot] = multiply(prefix + "attn_output", heads);
            }
            hidden = sums(hidden, mix(attended, inputs, prefix + "attn", 1));
            hidden = sums(hidden, feedForward(prefix, hidden));
        }
        double[][] states = new double[block][];
        for (int slot = 0; slot < block; slot++) {
            states[slot] = norm(hidden[slot], "output_norm.weight");
        }
        return states;
    }

    private double[][] feedForward(String prefix, double[][] hidden) {
        double[][] inputs = new double[hidden.length][];
        for (int slot = 0; slot < hidden.length; slot++) {
            inputs[slot] = norm(hidden[slot], prefix + "ffn_norm.weight");
        }
        double[][] mixed = mix(inputs, inputs, prefix + "ffn", 0);
        double[][] result = new double[hidden.length][];
        for (int slot = 0; slot < hidden.length; slot++) {
            double[] gate = multiply(prefix + "ffn_gate", mixed[slot]);
            double[] up = multiply(prefix + "ffn_up", mixed[slot]);
            for (int i = 0; i < gate.length; i++) {
                gate[i] = gate[i] / (1 + Math.exp(-gate[i])) * up[i];
            }
            result[slot] = multiply(prefix + "ffn_down", gate);
        }
        return mix(result, inputs, prefix + "ffn", 1);
    }

    /** A convolution over the rows of a block, with taps that its inputs change. */
    private double[][] mix(double[][] rows, double[][] inputs, String part, int side) {
        if (convolution.isEmpty()) {
            return rows;
        }
        int kernel = convolution.get().kernel();
        int group = convolution.get().group();
        int width = rows[0].length;
        float[] base = all(file.requireTensor(part + "_conv_base"));
        double[][] result = new double[rows.length][width];
        for (int slot = 0; slot < rows.length; slot++) {
            double[] changes = multiply(part + "_conv_proj", inputs[slot]);
            for (int tap = 0; tap < kernel && tap <= slot; tap++) {
                int place = tap + kernel * side;
                for (int c = 0; c < width; c++) {
                    result[slot][c] +=
                            (base[place * width + c] + changes[place * (width / group) + c / group])
                                    * rows[slot - tap][c];
                }
            }
        }
        return result;
    }

    private static double[][] sums(double[][] first, double[][] second) {
        double[][] result = new double[first.length][];
        for (int i = 0; i < result.length; i++) {
            result[i] = sum(first[i], second[i]);
        }
        return result;
    }

    private boolean normsStates() {
        return file.tensor("dflash.aux_hidden_norm.0.weight").isPresent();
    }

    /** The states of each layer by themselves, where a file has norms for them. */
    private double[] normedEach(double[] states) {
        if (!normsStates()) {
            return states;
        }
        int count = model.captures().size();
        int width = states.length / count;
        double[] result = new double[states.length];
        for (int i = 0; i < count; i++) {
            double[] own = Arrays.copyOfRange(states, i * width, (i + 1) * width);
            double[] normed = norm(own, "dflash.aux_hidden_norm." + i + ".weight");
            System.arraycopy(normed, 0, result, i * width, width);
        }
        return result;
    }

    private double[] fusedFor(String prefix, double[] fused) {
        boolean normed =
                model.form() == DflashModel.Form.REFERENCE
                        && (model.weights().gated() || normsStates());
        return normed ? norm(fused, prefix + "attn_norm.weight") : fused;
    }

    private GgufFile embeddingFile() {
        return model.weights().ownRows() > 0 ? file : target;
    }

    private GgufTensor head() {
        if (model.weights().ownRows() > 0) {
            return file.requireTensor("output.weight");
        }
        return target.tensor("output.weight")
                .orElseGet(() -> target.requireTensor("token_embd.weight"));
    }

    private Entry entry(String prefix, double[] input, int position, int slot) {
        double[] keys =
                turned(multiply(prefix + "attn_k", input), prefix + "attn_k_norm.weight", position);
        return new Entry(position, slot, keys, multiply(prefix + "attn_v", input));
    }

    private double[] turned(double[] heads, String norm, int position) {
        int length = model.network().headLength();
        double[] result = new double[heads.length];
        for (int head = 0; head < heads.length; head += length) {
            double[] one = new double[length];
            System.arraycopy(heads, head, one, 0, length);
            one = norm(one, norm);
            for (int pair = 0; pair < length / 2; pair++) {
                double angle = position * Math.pow(1e5, -2.0 * pair / length);
                double first = one[pair];
                double second = one[pair + length / 2];
                result[head + pair] = first * Math.cos(angle) - second * Math.sin(angle);
                result[head + pair + length / 2] =
                        second * Math.cos(angle) + first * Math.sin(angle);
            }
        }
        return result;
    }

    private boolean sees(int layer, int end, int slot, Entry entry) {
        DflashModel.Windows windows = model.windows();
        boolean slides =
                windows.length() > 0 && (windows.layers().isEmpty() || windows.layers().get(layer));
        boolean reference = model.form() == DflashModel.Form.REFERENCE;
        if (entry.slot() >= 0) {
            boolean causal = windows.causal() || reference && slides;
            return !causal || entry.slot() <= slot;
        }
        if (!slides) {
            return true;
        }
        return reference
                ? entry.position() >= end - windows.length()
                : end + slot - entry.position() < windows.length();
    }

    private double[] attend(
            String prefix, int layer, double[] input, int end, int slot, List<Entry> entries) {
        DflashModel.Network network = model.network();
        int length = network.headLength();
        double[] queries =
                turned(
                        multiply(prefix + "attn_q", input),
                        prefix + "attn_q_norm.weight",
                        end + slot);
        double[] result = new double[queries.length];
        for (int head = 0; head < network.heads(); head++) {
            int kv = head / (network.heads() / network.kvHeads()) * length;
            double total = sink(prefix, head);
            double[] weighted = new double[length];
            for (Entry entry : entries) {
                if (!sees(layer, end, slot, entry)) {
                    continue;
                }
                double score = 0;
                for (int i = 0; i < length; i++) {
                    score += queries[head * length + i] * entry.keys()[kv + i];
                }
                double weight = Math.exp(score / Math.sqrt(length));
                total += weight;
                for (int i = 0; i < length; i++) {
                    weighted[i] += weight * entry.values()[kv + i];
                }
            }
            for (int i = 0; i < length; i++) {
                result[head * length + i] = weighted[i] / total;
            }
        }
        return model.weights().gated() ? gated(prefix, input, result) : result;
    }

    /**
     * Returns a head's attention sink: a score that takes a share of the weights and adds no value.
     */
    private double sink(String prefix, int head) {
        return file.tensor(prefix + "attn_sinks.weight")
                .map(sinks -> Math.exp(row(sinks, 0)[head]))
                .orElse(0.0);
    }

    private double[] gated(String prefix, double[] input, double[] attended) {
        double[] gates = multiply(prefix + "attn_gate", input);
        int length = model.network().headLength();
        double[] result = new double[attended.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = attended[i] * Math.log1p(Math.exp(gates[i / length]));
        }
        return result;
    }

    private static double[] sum(double[] first, double[] second) {
        double[] result = new double[first.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = first[i] + second[i];
        }
        return result;
    }

    private double[] norm(double[] values, String weight) {
        double squares = 0;
        for (double value : values) {
            squares += value * value;
        }
        double factor = 1 / Math.sqrt(squares / values.length + 1e-6);
        double[] weights = row(file.requireTensor(weight), 0);
        double[] result = new double[values.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = values[i] * factor * weights[i];
        }
        return result;
    }

    double[] multiply(String name, double[] input) {
        return multiply(file.requireTensor(name + ".weight"), input);
    }

    private double[] multiply(GgufTensor matrix, double[] input) {
        float[] weights = all(matrix);
        double[] result = new double[(int) matrix.ne(1)];
        for (int row = 0; row < result.length; row++) {
            int first = row * input.length;
            double sum = 0;
            for (int i = 0; i < input.length; i++) {
                sum += weights[first + i] * input[i];
            }
            result[row] = sum;
        }
        return result;
    }

    double[] row(GgufTensor tensor, int row) {
        int length = (int) tensor.ne(0);
        float[] values = all(tensor);
        double[] result = new double[length];
        for (int i = 0; i < length; i++) {
            result[i] = values[row * length + i];
        }
        return result;
    }

    private static double[] toDoubles(float[] values) {
        double[] result = new double[values.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = values[i];
        }
        return result;
    }

    private float[] all(GgufTensor tensor) {
        return read.computeIfAbsent(tensor, PlainDraft::values);
    }

    private static float[] values(GgufTensor tensor) {
        ByteBuffer bytes = ByteBuffer.allocate((int) tensor.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(tensor.file())) {
            channel.read(bytes, tensor.offset());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        float[] values = new float[bytes.capacity() / Float.BYTES];
        bytes.flip().asFloatBuffer().get(values);
        return values;
    }
}

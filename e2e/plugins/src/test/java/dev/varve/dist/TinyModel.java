package dev.varve.dist;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** The third party's model as plain loops in double. */
final class TinyModel {
    private final double[][] embedding;
    private final double[][] gate;
    private final double[][] up;
    private final double[][] down;
    private final double[][] output;
    private final double[] norm;
    private final double epsilon;

    TinyModel(Path file) throws IOException {
        GgufFile gguf = GgufFile.open(file);
        embedding = rows(gguf, "token_embd.weight");
        gate = rows(gguf, "blk.0.ffn_gate.weight");
        up = rows(gguf, "blk.0.ffn_up.weight");
        down = rows(gguf, "blk.0.ffn_down.weight");
        output = rows(gguf, "output.weight");
        norm = rows(gguf, "output_norm.weight")[0];
        epsilon = gguf.metadata().number("acme35.attention.layer_norm_rms_epsilon");
    }

    /** The tokens that follow {@code token}, which alone decides them. */
    int[] greedy(int token, int count) {
        int[] tokens = new int[count];
        int last = token;
        for (int i = 0; i < count; i++) {
            last = next(last);
            tokens[i] = last;
        }
        return tokens;
    }

    private int next(int token) {
        double[] x = embedding[token];
        double[] hidden = multiply(gate, x);
        double[] other = multiply(up, x);
        for (int i = 0; i < hidden.length; i++) {
            hidden[i] = hidden[i] / (1 + Math.exp(-hidden[i])) * other[i];
        }
        double[] sum = multiply(down, hidden);
        double squares = 0;
        for (int i = 0; i < sum.length; i++) {
            sum[i] += x[i];
            squares += sum[i] * sum[i];
        }
        double scale = 1 / Math.sqrt(squares / sum.length + epsilon);
        for (int i = 0; i < sum.length; i++) {
            sum[i] *= scale * norm[i];
        }
        double[] logits = multiply(output, sum);
        int best = 0;
        for (int i = 1; i < logits.length; i++) {
            best = logits[i] > logits[best] ? i : best;
        }
        return best;
    }

    private static double[] multiply(double[][] rows, double[] x) {
        double[] result = new double[rows.length];
        for (int row = 0; row < rows.length; row++) {
            for (int i = 0; i < x.length; i++) {
                result[row] += rows[row][i] * x[i];
            }
        }
        return result;
    }

    private static double[][] rows(GgufFile gguf, String name) throws IOException {
        GgufTensor tensor = gguf.requireTensor(name);
        byte[] bytes = new byte[Math.toIntExact(tensor.bytes())];
        try (RandomAccessFile file = new RandomAccessFile(tensor.file().toFile(), "r")) {
            file.seek(tensor.offset());
            file.readFully(bytes);
        }
        ByteBuffer values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        double[][] rows = new double[(int) tensor.ne(1)][(int) tensor.ne(0)];
        for (double[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                row[i] = values.getFloat();
            }
        }
        return rows;
    }
}

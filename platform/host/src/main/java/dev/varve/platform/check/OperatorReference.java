package dev.varve.platform.check;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.OperatorSample;

import java.util.Arrays;

/**
 * Expected results of operators: those of the processor. Products of the processor itself are
 * compared with plain loops in double precision.
 */
final class OperatorReference {
    private final ComputeDevice processor;
    private final boolean plain;

    /**
     * @param plain whether the operators were computed on the processor
     */
    OperatorReference(ComputeDevice processor, boolean plain) {
        this.processor = processor;
        this.plain = plain;
    }

    /** Returns the relative L2 error of a result. */
    double error(OperatorSample sample, float[] found) {
        float[] expected =
                plain && sample.isMatrixProduct()
                        ? product(sample.operand(0), sample.operand(1), sample.rowLength())
                        : sample.compute(
                                processor.bufferType(),
                                graph -> {
                                    synchronized (processor.lock()) {
                                        processor.compute(graph, Phase.DECODE);
                                    }
                                });
        return switch (sample.name()) {
            case "ARGSORT", "TOP_K", "ARGMAX" ->
                    RelativeError.of(chosen(sample, expected), chosen(sample, found));
            default -> RelativeError.of(expected, found);
        };
    }

    /**
     * Replaces indices by the values that they choose, since the order of equal values, and of the
     * chosen ones of {@code TOP_K}, is open.
     */
    private static float[] chosen(OperatorSample sample, float[] indices) {
        float[] values = sample.operand(0);
        int chosen = sample.name().equals("ARGMAX") ? 1 : sample.rowLength();
        int rows = indices.length / chosen;
        int length = values.length / rows;
        float[] gathered = new float[indices.length];
        for (int i = 0; i < indices.length; i++) {
            int index = (int) indices[i];
            gathered[i] =
                    index < 0 || index >= length ? Float.NaN : values[i / chosen * length + index];
        }
        if (sample.name().equals("TOP_K")) {
            for (int row = 0; row < rows; row++) {
                Arrays.sort(gathered, row * chosen, (row + 1) * chosen);
            }
        }
        return gathered;
    }

    /** {@code [K, M] times [K, N] -> [M, N]}. */
    static float[] product(float[] weights, float[] columns, int rows) {
        int length = weights.length / rows;
        int count = columns.length / length;
        float[] result = new float[rows * count];
        for (int column = 0; column < count; column++) {
            for (int row = 0; row < rows; row++) {
                double sum = 0;
                for (int i = 0; i < length; i++) {
                    sum += (double) weights[row * length + i] * columns[column * length + i];
                }
                result[column * rows + row] = (float) sum;
            }
        }
        return result;
    }
}

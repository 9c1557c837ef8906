package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The properties by which ggml's CUDA backend recognises a graph that it captured: of each operator
 * its kind, parameters, type, extents, strides and address, and extents, strides and addresses of
 * its operands. Another value of any of them makes it capture the graph again.
 *
 * @param operators one text for each operator
 * @param positions values of the input with the positions; empty if no operator reads it
 */
public record GraphProperties(List<String> operators, int[] positions) {
    private static final long PARAMETERS = 84;
    private static final int PARAMETER_BYTES = 64;
    private static final Set<String> POSITIONS = Set.of("positions", "axis_positions");

    /** Reads the properties of a graph whose inputs are written. */
    public static GraphProperties of(Graph graph) {
        List<String> operators = new ArrayList<>();
        int[] positions = {};
        for (int i = 0; i < graph.nodes(); i++) {
            Tensor node = graph.node(i);
            StringBuilder text = new StringBuilder();
            append(text, node);
            text.append(Arrays.toString(parameters(node)));
            for (Tensor operand : node.operands()) {
                append(text.append(" <- "), operand);
                if (POSITIONS.contains(operand.name())) {
                    positions = new int[Math.toIntExact(operand.elements())];
                    operand.read(positions, 0, positions.length, 0);
                }
            }
            operators.add(text.toString());
        }
        return new GraphProperties(operators, positions);
    }

    private static byte[] parameters(Tensor node) {
        return node.pointer().address().asSlice(PARAMETERS, PARAMETER_BYTES).toArray(JAVA_BYTE);
    }

    private static void append(StringBuilder text, Tensor tensor) {
        text.append(tensor.name()).append(" operator ").append(tensor.operator());
        text.append(' ').append(tensor.type());
        for (int i = 0; i < 4; i++) {
            text.append(' ').append(tensor.ne(i)).append('/').append(tensor.nb(i));
        }
        text.append(" of ").append(tensor.pointer().address().address());
        text.append(" at ").append(tensor.data().address()).append(' ');
    }

    /** Describes the first operator that differs from another graph's; empty if none does. */
    public Optional<String> difference(GraphProperties other) {
        if (operators.size() != other.operators.size()) {
            return Optional.of(operators.size() + " and " + other.operators.size() + " operators");
        }
        for (int i = 0; i < operators.size(); i++) {
            if (!operators.get(i).equals(other.operators.get(i))) {
                return Optional.of(operators.get(i) + " and " + other.operators.get(i));
            }
        }
        return Optional.empty();
    }
}

package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.varve.api.ggml.Pointer.TensorPtr;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Consumer;

/**
 * One operator of a graph with the values of its operands, so that another device can compute it
 * alone. Independent of the graph and its device. Thread-safe.
 */
public final class OperatorSample {
    /** {@code GGML_OP_*} parameters, behind the number of the operator. */
    private static final long PARAMETERS = 84;

    private static final int PARAMETER_BYTES = 64;

    /** Operators that compute nothing. */
    private static final Set<String> VIEWS =
            Set.of("NONE", "RESHAPE", "VIEW", "PERMUTE", "TRANSPOSE");

    /** An operand or a result: its type, its extents and strides, and its values. */
    private record Values(GgmlType type, long[] ne, long[] nb, byte[] bytes) {
        static Values of(Tensor tensor) {
            return new Values(
                    tensor.type(),
                    new long[] {tensor.ne(0), tensor.ne(1), tensor.ne(2), tensor.ne(3)},
                    new long[] {tensor.nb(0), tensor.nb(1), tensor.nb(2), tensor.nb(3)},
                    tensor.readSpan());
        }
    }

    private final String name;
    private final int operator;
    private final byte[] parameters;
    private final List<Values> operands;

    /** Per operand of the operator, in order: its number among the distinct ones, or -1. */
    private final int[] sources;

    private final GgmlType type;
    private final long[] ne;
    private final long[] nb;

    /** Number of the operand that the operator writes to, or -1. */
    private final int target;

    private OperatorSample(Tensor node, List<Values> operands, int[] sources, int target) {
        name = name(node);
        operator = node.operator();
        parameters =
                node.pointer().address().asSlice(PARAMETERS, PARAMETER_BYTES).toArray(JAVA_BYTE);
        this.operands = operands;
        this.sources = sources;
        this.target = target;
        type = node.type();
        ne = new long[] {node.ne(0), node.ne(1), node.ne(2), node.ne(3)};
        nb = new long[] {node.nb(0), node.nb(1), node.nb(2), node.nb(3)};
    }

    /**
     * Returns what distinguishes an operator of a graph: its name, and types, extents and layouts
     * of result and operands. Empty for views, which compute nothing, and for operators that are no
     * operators of ggml.
     *
     * @param index number of the operator in the graph
     */
    public static Optional<String> signature(Graph graph, int index) {
        Tensor node = graph.node(index);
        String name = name(node);
        return VIEWS.contains(name) || name.contains("CUSTOM")
                ? Optional.empty()
                : Optional.of(name + layout(node));
    }

    private static String layout(Tensor node) {
        StringBuilder text = new StringBuilder(layoutOf(node));
        node.operands().forEach(operand -> text.append(layoutOf(operand)));
        return text.toString();
    }

    private static String layoutOf(Tensor tensor) {
        StringBuilder text = new StringBuilder(" ").append(tensor.type());
        for (int i = 0; i < 4; i++) {
            text.append(' ').append(tensor.ne(i)).append('/').append(tensor.nb(i));
        }
        return text.toString();
    }

    private static String name(Tensor node) {
        return CoreApi.opDesc(node.pointer());
    }

    /**
     * Copies an operator and its operands, which must have been computed; the operator itself must
     * not, since it may overwrite one of them.
     *
     * @return empty if its result is part of memory that is no operand
     */
    public static Optional<OperatorSample> of(Graph graph, int index) {
        Tensor node = graph.node(index);
        List<Tensor> distinct = new ArrayList<>();
        int[] sources = new int[Tensor.MAX_SOURCES];
        Arrays.fill(sources, -1);
        int target = -1;
        for (int i = 0; i < Tensor.MAX_SOURCES; i++) {
            Optional<Tensor> operand = node.operand(i);
            if (operand.isPresent()) {
                sources[i] = indexOf(distinct, operand.get());
                if (node.isView() && isSameMemory(operand.get(), node)) {
                    target = sources[i];
                }
            }
        }
        if (node.isView() && target < 0) {
            return Optional.empty();
        }
        return Optional.of(
                new OperatorSample(
                        node, distinct.stream().map(Values::of).toList(), sources, target));
    }

    private static int indexOf(List<Tensor> tensors, Tensor tensor) {
        for (int i = 0; i < tensors.size(); i++) {
            if (tensors.get(i).pointer().isSame(tensor.pointer())) {
                return i;
            }
        }
        tensors.add(tensor);
        return tensors.size() - 1;
    }

    private static boolean isSameMemory(Tensor one, Tensor other) {
        return one.data().address() == other.data().address() && one.bytes() == other.bytes();
    }

    /** Returns the values of the result of an operator that was computed. */
    public static float[] result(Graph graph, int index) {
        Tensor node = graph.node(index);
        return floats(Values.of(node));
    }

    /** ggml's name of the operator, such as {@code MUL_MAT}. */
    public String name() {
        return name;
    }

    /** Type of the result. */
    public GgmlType type() {
        return type;
    }

    /** Types of the operands, in ggml's order. */
    public List<GgmlType> operandTypes() {
        return Arrays.stream(sources)
                .filter(source -> source >= 0)
                .mapToObj(source -> operands.get(source).type())
                .toList();
    }

    /** Whether this is a product of two matrices, without further dimensions. */
    public boolean isMatrixProduct() {
        return name.equals("MUL_MAT")
                && operands.stream().allMatch(each -> each.ne()[2] * each.ne()[3] == 1);
    }

    /** Values of an operand, in the order of its dimensions. */
    public float[] operand(int number) {
        return floats(operands.get(sources[number]));
    }

    /** Elements of a row of the result. */
    public int rowLength() {
        return Math.toIntExact(ne[0]);
    }

    /** Types and extents, such as {@code F32 [64, 8] of q8_0 [128, 64], F32 [128, 8]}. */
    public String shapes() {
        StringJoiner text = new StringJoiner(", ");
        for (int source : sources) {
            if (source >= 0) {
                Values operand = operands.get(source);
                text.add(operand.type().ggufName() + " " + Arrays.toString(operand.ne()));
            }
        }
        return type.ggufName() + " " + Arrays.toString(ne) + " of " + text;
    }

    /** Whether a device supports the operator. */
    public boolean isSupportedBy(GgmlDevice device) {
        try (GgmlContext context = GgmlContext.open(Tensor.MAX_SOURCES + 1, 0)) {
            return device.supports(build(context, new ArrayList<>()));
        }
    }

    /**
     * Computes the operator alone and returns its result.
     *
     * @param memory where operands and result are placed
     * @param device computes a graph and waits for it
     * @throws dev.varve.api.VarveException of kind OUT_OF_MEMORY if they do not fit, or as the
     *     device does
     */
    public float[] compute(BufferType memory, Consumer<Graph> device) {
        return floats(computed(memory, device));
    }

    /**
     * Computes the operator alone, and stores its result in a graph instead of computing it there.
     *
     * @param index number of the operator that this sample is a copy of
     * @throws dev.varve.api.VarveException as {@link #compute} does
     */
    public void computeInto(Graph graph, int index, BufferType memory, Consumer<Graph> device) {
        graph.node(index).writeSpan(computed(memory, device).bytes());
    }

    private Values computed(BufferType memory, Consumer<Graph> device) {
        try (GgmlContext context = GgmlContext.open(Tensor.MAX_SOURCES + 1, 16)) {
            List<Tensor> placed = new ArrayList<>();
            Tensor node = build(context, placed);
            try (DeviceBuffer buffer = context.allocate(memory).orElseThrow()) {
                buffer.clear();
                for (int i = 0; i < placed.size(); i++) {
                    placed.get(i).writeSpan(operands.get(i).bytes());
                }
                Graph graph = context.newGraph(16);
                graph.expand(node);
                device.accept(graph);
                return Values.of(node);
            }
        }
    }

    /** Declares the operands and the operator; {@code placed} receives the operands. */
    private Tensor build(GgmlContext context, List<Tensor> placed) {
        for (Values operand : operands) {
            placed.add(declare(context, operand.type(), operand.ne(), operand.nb()));
        }
        Tensor node = declare(context, type, ne, nb);
        MemorySegment struct = node.pointer().address();
        struct.set(JAVA_INT, Tensor.OPERATOR, operator);
        MemorySegment.copy(parameters, 0, struct, JAVA_BYTE, PARAMETERS, PARAMETER_BYTES);
        for (int i = 0; i < sources.length; i++) {
            if (sources[i] >= 0) {
                struct.set(
                        ADDRESS,
                        Tensor.SOURCES + i * ADDRESS.byteSize(),
                        placed.get(sources[i]).pointer().address());
            }
        }
        if (target >= 0) {
            struct.set(ADDRESS, Tensor.VIEW_SOURCE, placed.get(target).pointer().address());
            struct.set(JAVA_LONG, Tensor.VIEW_OFFSET, 0);
        }
        return node;
    }

    private static Tensor declare(GgmlContext context, GgmlType type, long[] ne, long[] nb) {
        Tensor tensor = context.newTensor(type, ne);
        MemorySegment struct = tensor.pointer().address();
        for (int i = 0; i < nb.length; i++) {
            struct.set(JAVA_LONG, Tensor.NB + i * JAVA_LONG.byteSize(), nb[i]);
        }
        return new Tensor(context, new TensorPtr(struct), true);
    }

    /** Values in the order of the dimensions, whatever their strides. */
    private static float[] floats(Values values) {
        long[] ne = values.ne();
        int length = Math.toIntExact(ne[0]);
        int rows = Math.toIntExact(ne[1] * ne[2] * ne[3]);
        float[] all = new float[Math.multiplyExact(length, rows)];
        float[] row = new float[length];
        for (int i = 0; i < rows; i++) {
            long begin =
                    i % ne[1] * values.nb()[1]
                            + i / ne[1] % ne[2] * values.nb()[2]
                            + i / ne[1] / ne[2] * values.nb()[3];
            read(values, Math.toIntExact(begin), row);
            System.arraycopy(row, 0, all, i * length, length);
        }
        return all;
    }

    private static void read(Values values, int begin, float[] row) {
        GgmlType type = values.type();
        ByteBuffer bytes = ByteBuffer.wrap(values.bytes()).order(ByteOrder.nativeOrder());
        int stride = Math.toIntExact(values.nb()[0]);
        if (type == GgmlType.I32 || type == GgmlType.I64) {
            for (int i = 0; i < row.length; i++) {
                int at = begin + i * stride;
                row[i] = type == GgmlType.I32 ? bytes.getInt(at) : bytes.getLong(at);
            }
        } else if (stride == type.typeSize()) {
            int count = Math.toIntExact(type.rowBytes(row.length));
            RowConversion.toFloats(type, bytes.slice(begin, count), row);
        } else {
            float[] one = new float[1];
            for (int i = 0; i < row.length; i++) {
                RowConversion.toFloats(type, bytes.slice(begin + i * stride, type.typeSize()), one);
                row[i] = one[0];
            }
        }
    }
}

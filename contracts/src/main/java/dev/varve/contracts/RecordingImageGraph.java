package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImageGraph;
import dev.varve.api.vision.ImagePixels;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Records an image encoder's graph without computing it, and checks its operators. */
final class RecordingImageGraph implements ImageGraph {
    private final GgmlContext context;
    private final Map<String, GgufTensor> selected = new HashMap<>();
    private final Map<String, Tensor> declared = new HashMap<>();
    private final String where;

    private RecordingImageGraph(ImageEncoder encoder, GgmlContext context, String where) {
        this.context = context;
        this.where = where;
        for (TensorSelection.Entry entry : encoder.tensors().entries()) {
            selected.put(entry.use() + " " + entry.tensor().name(), entry.tensor());
        }
    }

    /** Records an image; fails with a description of the error. */
    static void check(ImageEncoder encoder, ImagePixels pixels, String file) {
        int align = encoder.input().align();
        long tokens = (long) (pixels.width() / align) * (pixels.height() / align);
        String where = file + " with " + pixels.width() + "x" + pixels.height() + " pixels: ";
        int most = encoder.graphTensors() + encoder.tensors().entries().size();
        try (GgmlContext context = GgmlContext.open(most, 0)) {
            RecordingImageGraph graph = new RecordingImageGraph(encoder, context, where);

            Tensor rows = encoder.build(graph, pixels);

            assertEquals(encoder.width(), rows.ne(0), where + "width of the rows");
            assertEquals(tokens, rows.ne(1), where + "number of rows");
            assertEquals(tokens * encoder.width(), rows.elements(), where + "elements");
            Set<String> unused = new HashSet<>(graph.selected.keySet());
            unused.removeAll(graph.declared.keySet());
            assertEquals(Set.of(), unused, where + "weights that are selected and not used");
        }
    }

    @Override
    public Ops ops() {
        return context.ops();
    }

    @Override
    public Tensor weight(String name, TensorUse use) {
        String key = use + " " + name;
        GgufTensor tensor = selected.get(key);
        assertTrue(tensor != null, where + name + " was not selected for " + use);
        return declared.computeIfAbsent(
                key,
                missing ->
                        context.newTensor(
                                tensor.type(),
                                tensor.dimensions().stream().mapToLong(Long::longValue).toArray()));
    }

    @Override
    public boolean hasWeight(String name, TensorUse use) {
        return selected.containsKey(use + " " + name);
    }

    @Override
    public Tensor input(String name, float[] values, long... shape) {
        return input(name, GgmlType.F32, values.length, shape);
    }

    @Override
    public Tensor input(String name, int[] values, long... shape) {
        return input(name, GgmlType.I32, values.length, shape);
    }

    private Tensor input(String name, GgmlType type, int values, long... shape) {
        Tensor tensor = context.newTensor(type, shape);
        assertEquals(values, tensor.elements(), where + "values of the input " + name);
        return tensor;
    }

    @Override
    public Tensor matmul(String name, Tensor input) {
        Tensor product = ops().mulMat(weight(name + ".weight", TensorUse.MATMUL), input);
        return optionalWeight(name + ".bias", TensorUse.ELEMENTWISE)
                .map(bias -> ops().add(product, bias))
                .orElse(product);
    }

    @Override
    public Tensor attention(Tensor query, Tensor key, Tensor value, float scale) {
        for (Tensor tensor : new Tensor[] {query, key, value}) {
            assertEquals(Float.BYTES, tensor.nb(0), where + "rows of attention with gaps");
            assertEquals(query.ne(2), tensor.ne(2), where + "columns of attention");
        }
        assertEquals(query.ne(0), key.ne(0), where + "length of queries and keys");
        assertTrue(scale > 0, where + "scale of attention " + scale);
        Tensor contiguous = ops().cont(query);
        return ops().reshape2d(contiguous, query.ne(0) * query.ne(1), query.ne(2));
    }
}

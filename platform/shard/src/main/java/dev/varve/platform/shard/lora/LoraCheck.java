package dev.varve.platform.shard.lora;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Checks that adapters fit a model, before anything is loaded. */
final class LoraCheck {
    private final GgufFile model;
    private final Map<String, Set<TensorUse>> uses = new HashMap<>();

    LoraCheck(GgufFile model, LayerSplitAdapter adapter) {
        this.model = model;
        for (TensorSelection.Entry entry : adapter.tensors(adapter.shape().allLayers()).entries()) {
            uses.computeIfAbsent(entry.tensor().name(), name -> EnumSet.noneOf(TensorUse.class))
                    .add(entry.use());
        }
    }

    /**
     * Checks an adapter.
     *
     * @throws VarveException of kind UNSUPPORTED_MODEL or CORRUPT_FILE with the tensor and both
     *     shapes if it does not fit
     */
    void require(LoraAdapter adapter) {
        String architecture = adapter.file().architecture();
        if (!architecture.equals(model.architecture())) {
            throw unsupported(
                    adapter,
                    "this adapter is for architecture "
                            + architecture
                            + ", and "
                            + model.path().getFileName()
                            + " is of architecture "
                            + model.architecture());
        }
        adapter.pairs().forEach((weight, pair) -> require(adapter, weight, pair));
    }

    private void require(LoraAdapter adapter, String weight, LoraAdapter.Pair pair) {
        GgufTensor changed =
                model.tensor(weight)
                        .orElseThrow(
                                () ->
                                        unsupported(
                                                adapter,
                                                "tensor "
                                                        + pair.a().name()
                                                        + ": "
                                                        + model.path().getFileName()
                                                        + " has no "
                                                        + weight
                                                        + "; the adapter is for another model"));
        requireType(adapter, pair.a());
        requireType(adapter, pair.b());
        Set<TensorUse> its = uses.getOrDefault(weight, Set.of());
        if (its.equals(EnumSet.of(TensorUse.ROW_LOOKUP))) {
            pair.a().requireShape(pair.rank(), changed.ne(1), 1);
            pair.b().requireShape(pair.rank(), changed.ne(0), 1);
            return;
        }
        requireProduct(adapter, weight, changed, its);
        pair.a().requireShape(changed.ne(0), pair.rank(), changed.ne(2));
        pair.b().requireShape(pair.rank(), changed.ne(1), changed.ne(2));
    }

    /** A weight that no range loads, as one of multi-token prediction, is not adapted. */
    private static void requireProduct(
            LoraAdapter adapter, String weight, GgufTensor changed, Set<TensorUse> uses) {
        if (uses.contains(TensorUse.ROW_LOOKUP)) {
            throw unsupported(
                    adapter,
                    weight
                            + " is both the embedding table and the output head of this model, and"
                            + " an adapter for both is not supported");
        }
        boolean heads = uses.contains(TensorUse.MATMUL) && changed.ne(2) > 1;
        boolean other =
                uses.stream()
                        .anyMatch(use -> use != TensorUse.MATMUL && use != TensorUse.EXPERT_MATMUL);
        if (heads || other) {
            throw unsupported(
                    adapter,
                    weight
                            + ": an adapter for this weight is not supported: the model does not"
                            + " multiply with it as a whole");
        }
    }

    private static void requireType(LoraAdapter adapter, GgufTensor tensor) {
        if (!tensor.type().isWeightType()) {
            throw new ModelFormatException(
                    adapter.file().path(), tensor.name(), "a type for weights", tensor.describe());
        }
    }

    private static VarveException unsupported(LoraAdapter adapter, String reason) {
        return new VarveException(
                VarveException.Kind.UNSUPPORTED_MODEL,
                adapter.file().path().getFileName() + ": " + reason);
    }
}

package dev.varve.platform.shard;

import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.shard.lora.LoraTerm;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The matrices of experts in a selection, which another device than that of their layer may hold.
 *
 * @param matrices names, in the order of the selection
 */
public record ExpertWeights(Set<String> matrices) {
    private static final String WEIGHT = ".weight";

    /** Ends of the names of weights that are on the device of their matrix. */
    private static final List<String> COMPANIONS = List.of(".bias", ".scale");

    /** Copies the names. */
    public ExpertWeights {
        matrices = Collections.unmodifiableSet(new LinkedHashSet<>(matrices));
    }

    /** Finds the matrices by their use. */
    public static ExpertWeights of(TensorSelection selection) {
        Set<String> matrices = new LinkedHashSet<>();
        for (TensorSelection.Entry entry : selection.entries()) {
            String name = entry.tensor().name();
            if (entry.use() == TensorUse.EXPERT_MATMUL && LoraTerm.weightOf(name).isEmpty()) {
                matrices.add(name);
            }
        }
        return new ExpertWeights(matrices);
    }

    /**
     * Returns the matrix to which a weight belongs: itself, or that of a bias, a scale or an
     * adapter's matrix; empty if it belongs to no experts.
     */
    public Optional<String> matrixOf(String name) {
        if (matrices.contains(name)) {
            return Optional.of(name);
        }
        Optional<String> adapted = LoraTerm.weightOf(name);
        if (adapted.isPresent()) {
            return adapted.filter(matrices::contains);
        }
        return COMPANIONS.stream()
                .filter(name::endsWith)
                .map(end -> name.substring(0, name.length() - end.length()) + WEIGHT)
                .filter(matrices::contains)
                .findFirst();
    }
}

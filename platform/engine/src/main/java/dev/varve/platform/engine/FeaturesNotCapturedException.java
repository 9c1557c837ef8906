package dev.varve.platform.engine;

import dev.varve.api.VarveException;

import java.util.List;

/** Thrown when a batch returned without all requested features; none of them can be used. */
public final class FeaturesNotCapturedException extends VarveException {
    private static final long serialVersionUID = 1L;

    private final transient List<Integer> layers;

    FeaturesNotCapturedException(List<Integer> layers) {
        super(Kind.BACKEND_FAILED, "no shard captured the input of layers " + layers);
        this.layers = List.copyOf(layers);
    }

    /** Returns the layers whose input is missing; the layer count means the last layer's output. */
    public List<Integer> layers() {
        return layers;
    }
}

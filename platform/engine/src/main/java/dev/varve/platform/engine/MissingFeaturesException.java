package dev.varve.platform.engine;

import dev.varve.api.VarveException;

import java.util.List;

/** A batch came back without all features that it had asked for; none of them can be used. */
public final class MissingFeaturesException extends VarveException {
    private static final long serialVersionUID = 1L;

    private final transient List<Integer> layers;

    MissingFeaturesException(List<Integer> layers) {
        super(Kind.BACKEND_FAILED, "no shard captured the input of layers " + layers);
        this.layers = List.copyOf(layers);
    }

    /** The layers whose input is missing; the layer count stands for the last layer's output. */
    public List<Integer> layers() {
        return layers;
    }
}

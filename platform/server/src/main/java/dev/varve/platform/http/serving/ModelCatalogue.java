package dev.varve.platform.http.serving;

import java.util.List;

/** Lists the models that currently exist. Thread-safe. */
@FunctionalInterface
public interface ModelCatalogue {
    /**
     * Lists the models; cheap. The first model is the default one; no two have the same id.
     *
     * @return the models; equal stamps mean the same file
     */
    List<LoadableModel> models();
}
